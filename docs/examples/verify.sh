#!/bin/sh
# Verifies one forwarded event (Standard Webhooks) by hand: exit 0 if it is genuine, 1 if not. Needs openssl and the shell only.
#   WEBHOOK_SECRET=whsec_… sh verify.sh ID TIMESTAMP SIGNATURES <body     (webhook-id, webhook-timestamp, webhook-signature)
# The body is the raw bytes, never parsed and written again.
# Not for machines with other users: openssl takes the key on its command line, which they can read.
set -eu
[ $# -eq 3 ] || { echo "usage: $0 ID TIMESTAMP SIGNATURES <body" >&2; exit 2; }
id=$1 timestamp=$2 signatures=$3 tolerance=300

hex() { od -An -v -tx1 | tr -d ' \n'; }
mac() { openssl dgst -sha256 -mac HMAC -macopt "hexkey:$1" -binary; }

refuse() { echo "refused: $1" >&2; exit 1; }

case $timestamp in '' | *[!0-9]* | ????????????*) refuse 'webhook-timestamp is no time' ;; esac
age=$(($(date +%s) - timestamp))
# An old delivery that was recorded and is sent again is refused.
[ "${age#-}" -le $tolerance ] || refuse "it is $age seconds old"

key=$(printf '%s' "${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | hex)
[ ${#key} -ge 48 ] || { echo 'WEBHOOK_SECRET is not whsec_ and base64' >&2; exit 2; }
expected=v1,$({ printf '%s.%s.' "$id" "$timestamp"; cat; } | mac "$key" | openssl base64 -A)
[ ${#expected} -eq 47 ] || { echo 'openssl made no signature' >&2; exit 2; }

# Compared as MACs under a random key, so that the duration reveals nothing about the right signature.
moment=$(openssl rand -hex 32)
blind() { printf '%s' "$1" | mac "$moment" | hex; }
wanted=$(blind "$expected")
set -f
# While the secret rotates there are two signatures; one of them must be right.
for signature in $signatures; do
  if [ "$(blind "$signature")" = "$wanted" ]; then echo genuine && exit 0; fi
done
refuse 'no signature fits'
