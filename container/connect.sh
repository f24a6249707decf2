#!/bin/sh
# Makes the gateway of compose.yaml a client of its simulator, and the receiver its destination, once; then the service calls.
set -eu
umask 077
config=/etc/portaria/portaria.yaml
grep -q '^service:' $config && exit 0

# application MEMBER: of the first application of the simulator
application() {
  /usr/lib/portaria/bin/node -p "require('/data/simulator/applications.json').sandbox.applications[0].$1"
}

printf '%s\n' "$WEBHOOK_SECRET" >/etc/portaria/secrets/receiver
portaria destinations create http://127.0.0.1:9000/hook --name receiver --secret-file /etc/portaria/secrets/receiver
portaria certs trust stage /data/simulator/chains/sandbox.pem --environment sandbox --name simulator
portaria certs trust activate simulator --environment sandbox
application clientSecret >/etc/portaria/secrets/service-sandbox
cat >>$config <<EOF
service:
  - environment: sandbox
    baseAddresses:
      payment: https://localhost:9443/payment
      registration: https://localhost:9443/registration
    clientId: $(application clientId)
    clientSecret: secrets/service-sandbox
    certificate: /data/simulator/accounts/sandbox-integrator.p12
    authorities: /data/simulator/server-ca.crt
EOF
portaria reload
portaria service webhooks create --environment sandbox --interface payment --yes
portaria service webhooks create --environment sandbox --interface registration --yes
portaria simulator ctl send-callback --interface payment --text '{"identificador":"77","valor":"150.10"}'
