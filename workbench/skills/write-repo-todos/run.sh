#!/bin/sh
set -eu
marker=$(toolwright get /marker <parameters.json)
page=$(toolwright get /page <parameters.json)
toolwright call search-repo-text path=src text="$marker" >found.json

{
    echo "# Open work"
    file=0
    while path=$(toolwright get "/files/$file/path" <found.json 2>/dev/null); do
        printf '\n## %s\n\n' "$path"
        line=0
        while number=$(toolwright get "/files/$file/lines/$line/line" <found.json 2>/dev/null); do
            text=$(toolwright get "/files/$file/lines/$line/text" <found.json)
            printf -- '- line %s: %s\n' "$number" "$text"
            line=$((line + 1))
        done
        file=$((file + 1))
    done
} >page.md

toolwright call write-repo-file path="$page" content="$(cat page.md)" >written.json
printf '{"files": %s, "size_bytes": %s}\n' "$file" "$(toolwright get /size_bytes <written.json)"
