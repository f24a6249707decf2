#!/bin/sh
# Calls an interface of the service with a token that it fetches first, as an app would. Needs curl and sed only.
#   sh call-service.sh payment PUT /v1/webhook '{"url":"https://localhost:8443/callbacks/payment"}'
# CLIENT_ID, CLIENT_SECRET, CLIENT_CERTIFICATE and NODE_EXTRA_CA_CERTS are printed by `portaria simulator`. @FILE in place of the body reads a file.
set -eu
: "${CLIENT_ID:?portaria simulator prints it}" "${CLIENT_SECRET:?portaria simulator prints it}"
: "${CLIENT_CERTIFICATE:?portaria simulator prints it}" "${NODE_EXTRA_CA_CERTS:?portaria simulator prints it}"
service=${SERVICE_URL:-https://localhost:9443}
interface=${1:?an interface, such as payment} method=${2:?a method, such as GET} path=${3:?a path, such as /v1/webhook}

call() { curl --silent --show-error --max-time 60 --cacert "$NODE_EXTRA_CA_CERTS" --cert "$CLIENT_CERTIFICATE" "$@"; }

case $interface in
  charges) token_path=/v1/authorize ;;
  account) token_path=/oauth/token ;;
  *) token_path=/v1/oauth/token ;;
esac
# Secrets reach curl on standard input: every user of the machine can read a command line.
answer=$(printf 'user = "%s:%s"\n' "$CLIENT_ID" "$CLIENT_SECRET" |
  call --config - --data grant_type=client_credentials "$service/$interface$token_path")
token=$(printf '%s\n' "$answer" | sed -n 's/.*"access_token":"\([^"]*\)".*/\1/p')
[ -n "$token" ] || { echo "no token: $answer" >&2; exit 1; }
printf 'authorization: Bearer %s\n' "$token" |
  call --fail-with-body --header @- --header 'content-type: application/json' --request "$method" ${4:+--data "$4"} \
    --write-out '\n' "$service/$interface$path"
