#!/bin/sh
# The first configuration of compose.yaml: for development, so that the gateway makes its certificates.
set -eu
config=/etc/portaria/portaria.yaml
[ ! -e $config ] || exit 0
portaria init --host-name localhost --environments sandbox --local-receiver >/dev/null
sed -i -e 's/^mode: .*/mode: development/' -e '/^api:/a\  metrics: open' $config
