# Sourced by the other scripts, which use the functions of the stacks.
folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$folder/../stacks/base.sh"
