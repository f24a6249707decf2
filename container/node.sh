#!/bin/sh
# node.sh NUMBER: one of several nodes, with certificates and operator token of the service `gateway`, and PostgreSQL instead of its database.
set -eu
config=/etc/portaria/node-$1.yaml
sed -e "s/^  port: 8443/  port: 845$1\n  proxyProtocol: [127.0.0.1]/" \
  -e "s/^  port: 8080/  port: 808$1\n  proxyProtocol: [127.0.0.1]/" \
  -e "s|^  url: sqlite:.*|  url: postgres://portaria@127.0.0.1/portaria|" \
  -e "/^node:/,/^  folder: /s|^  folder: .*|  name: node-$1\n  folder: /data/node-$1|" \
  /etc/portaria/portaria.yaml >"$config"
exec portaria serve --config "$config"
