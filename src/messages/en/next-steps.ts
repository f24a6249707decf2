import { NODE_ADVICE } from '../../platform/version.ts'

/** What `portaria init` writes into NEXT-STEPS.md, beside the commands. */
export const NEXT_STEPS = {
  title: (host: string) => `Portaria for ${host}: what you still have to supply`,
  written: (config: string, dataFolder: string) =>
    `Written: ${config}, the operator token (secrets/operator-token), and the folders certs, certs/trust, secrets and ${dataFolder}.`,
  configuration: 'The commands below find the configuration by:',
  container: `Each command runs in a container of the same image with the same volumes, as "portaria init" did; files of yours need a volume, too.
The configuration is found without the variable if it is in /etc/portaria.`,
  certificate: (host: string) => `A certificate for ${host}`,
  certbot: (host: string) =>
    `With certbot, which also renews it. Port 80 of ${host} must reach this machine; certbot has other ways to prove the name, too.`,
  hook: 'The hook installs every new certificate, and the gateway takes it up by itself.',
  otherAuthority: 'With another certificate authority instead:',
  importIssued:
    'Send server.csr to the certificate authority. Then import the issued certificate and the intermediates, in any order:',
  chains: "The service's chains",
  chainsText:
    'The CA certificates of the callers, PEM, up to the root: the service publishes one chain for each environment.',
  chainSource: (_preset: string, source: string) => source,
  machine: 'The machine',
  owner: "The gateway's user must own the files that it reads and writes (as root; replace portaria by that user):",
  reach: (port: number, host: string) =>
    `Let the service reach port ${port} of ${host}. Nothing in between may end TLS.`,
  reachRedirected: (port: number, host: string, to: number) =>
    `Let the service reach port ${port} of ${host}, redirected to port ${to} of this machine. Nothing in between may end TLS.`,
  node: (version: string) =>
    `Portaria runs on Node.js ${version} here, which lacks security fixes, and \`portaria check\` fails until it is updated:
${NODE_ADVICE}.`,
  start: 'Check, start, check from outside',
  secondTerminal:
    'The gateway keeps this terminal. Open a second one for all that follows, and set PORTARIA_CONFIG there as above:',
  destination: 'A destination: the system that gets the events',
  destinationText: 'Without a destination, events are stored and not forwarded.',
  secret: '`create` prints the secret with which your system verifies the signatures, over the raw bytes of the body.',
  localReceiver: `For a system on this machine, such as http://localhost:3000, write \`allowedNetworks: [loopback]\` under \`forwarding\`
in the configuration, then \`portaria reload\`.`,
  polling: 'An app behind a firewall polls for its events instead: `portaria clients create --help`.',
  register: 'Register at the service',
  chargeAddress: (environment: string, url: string, tokenFile: string) =>
    `charge callbacks of ${environment}: ${url}, with the token in ${tokenFile}`,
  registerAtInstitutions: 'Enter these URLs at the institutions.',
  registerByGateway: (secretFile: string, certificateFile: string) =>
    `These URLs begin with \`publicUrl\` of the configuration. Enter them at the service, or let the gateway register them:
fill in the section \`service\` at the end of the configuration. It needs the client secret in ${secretFile} (mode 0600)
and the certificate of your account in ${certificateFile}. Then:`,
  accounts: 'Your accounts',
  accountsText: `Any customer of the same institution may register your URL: the certificate is right, and the payments are not yours. Name your accounts or keys
in the configuration (config/portaria.yaml shows how), and restart. Payments about others then go to quarantine.`,
}
