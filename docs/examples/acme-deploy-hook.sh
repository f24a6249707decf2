#!/bin/sh
# Installs a certificate that an ACME client has renewed. The running gateway takes it up by itself: no restart, no reload, no lost call.
#
#   certbot   certbot renew --deploy-hook /opt/portaria/docs/examples/acme-deploy-hook.sh
#             (or link to it from /etc/letsencrypt/renewal-hooks/deploy/)
#   lego      lego … --deploy-hook /opt/portaria/docs/examples/acme-deploy-hook.sh        (before version 5: --renew-hook)
#   acme.sh   acme.sh --install-cert -d callbacks.example.com --fullchain-file /root/callbacks.pem --key-file /root/callbacks.key \
#               --reloadcmd '/opt/portaria/docs/examples/acme-deploy-hook.sh /root/callbacks.pem /root/callbacks.key'
#   others    acme-deploy-hook.sh FULL-CHAIN KEY
#
# Nothing is installed that does not fit: key and certificate are compared, the chain is put in order, dates are checked, the
# files that were there are kept as *.previous, and both new ones are renamed into place.
#
# What may be set in its environment:
#   PORTARIA         the program (default: bin/portaria of the folder that this file is in)
#   PORTARIA_CONFIG  the configuration (default: /etc/portaria/portaria.yaml)
#   PORTARIA_NAME    take certificates of this host name only; certbot runs a hook for every one that it renews
#   PORTARIA_IMPORT  further options of "portaria certs import", such as --incomplete for a private authority's chain without its root
set -eu

here=$(dirname "$(readlink -f "$0")")
portaria=${PORTARIA:-$here/../../bin/portaria}
PORTARIA_CONFIG=${PORTARIA_CONFIG:-/etc/portaria/portaria.yaml}
export PORTARIA_CONFIG

if [ $# -eq 2 ]; then
  chain=$1 key=$2
elif [ $# -ne 0 ]; then
  echo "usage: $0 [FULL-CHAIN KEY]" >&2
  exit 2
elif [ -n "${RENEWED_LINEAGE:-}" ]; then
  chain=$RENEWED_LINEAGE/fullchain.pem key=$RENEWED_LINEAGE/privkey.pem
elif [ -n "${LEGO_HOOK_CERT_PATH:-}" ]; then
  chain=$LEGO_HOOK_CERT_PATH key=$LEGO_HOOK_CERT_KEY_PATH
elif [ -n "${LEGO_CERT_PATH:-}" ]; then
  chain=$LEGO_CERT_PATH key=$LEGO_CERT_KEY_PATH
else
  echo "$0: neither certbot nor lego has called this, and no files are named: $0 FULL-CHAIN KEY" >&2
  exit 2
fi

if [ -n "${PORTARIA_NAME:-}" ] && ! openssl x509 -in "$chain" -noout -checkhost "$PORTARIA_NAME" | grep -q 'does match'; then
  echo "$chain is not for $PORTARIA_NAME: left alone"
  exit 0
fi

# Several options are several words.
# shellcheck disable=SC2086
exec "$portaria" certs import "$chain" --key "$key" ${PORTARIA_IMPORT:-}
