import type { Command } from 'commander'
import { COMMAND } from '../../platform/installation.ts'
import { translated } from '../language/language.ts'

/** What an example has behind the name of its command. Commands with options that belong together show them. Others show their arguments alone. */
const EXAMPLES: Readonly<Record<string, string>> = {
  init: 'site --host-name callbacks.example.com',
  probe: 'https://callbacks.example.com/callbacks/payment --cert client.crt --key client.key',
  'certs show': '--host callbacks.example.com:8443',
  'certs check': '--days 60',
  'certs csr': '--name callbacks.example.com --key server.key --out server.csr',
  'certs import': 'issued.pem intermediates.pem --key server.key',
  'certs export': '--out bundle.p12 --format p12',
  'certs trust list': '--environment production',
  'certs trust stage': 'chain.pem --environment production --name chain-2027',
  'certs trust diff': 'chain-2027 --environment production',
  'certs trust fetch': '--environment production',
  'certs trust activate': 'chain-2027 --environment production',
  'certs trust retire': 'chain-2026 --environment production',
  'certs authority create': '--out /var/lib/portaria/authority',
  'certs authority list': '--all',
  'certs issue': 'gateway --for forwarding --out certs',
  'certs sign': 'bank.csr --out bank.pem',
  'certs revoke': 'books --because key-compromise',
  check: '--url https://callbacks.example.com/callbacks/payment',
  'config check': '--config /etc/portaria/portaria.yaml',
  'events list': '--kind payment --from 2h',
  'events find': '"joão silva" 150,10 --from 7d',
  'events show': 'evt_1a_0123456789 --json',
  'events tail': '--kind payment',
  'events replay': 'evt_1a_0123456789 --destination books',
  'consumers show': 'books',
  'consumers seek': 'books --time "2026-11-22 10:00"',
  'consumers delete': 'books',
  'deliveries list': '--state pending --destination books',
  'deliveries show': 'dlv_1',
  'deliveries retry': 'dlv_1',
  'deliveries skip': 'dlv_1',
  'replays create': '--destination books --from 2d --to 1h --dry-run',
  'replays list': '--state running',
  'replays show': 'rpl_1',
  'replays delete': 'rpl_1',
  'destinations create': 'https://app.example.com/callbacks --name books --kind payment',
  'destinations list': '--json',
  'destinations show': 'books --secret',
  'destinations update': 'books --timeout 5000 --reset rate-limit',
  'destinations rotate-secret': 'books --overlap 24h',
  'destinations pause': 'books',
  'destinations resume': 'books',
  'destinations delete': 'books',
  'destinations test': 'books',
  'destinations stats': 'books',
  'clients create': '--name shop --environment sandbox --scopes events.read',
  'clients list': '--revoked',
  'clients show': 'shop',
  'clients rotate': 'shop --grace 1h',
  'clients certificate': 'shop --out shop --p12',
  'clients revoke': 'shop',
  'quarantine list': '--state quarantined',
  'quarantine show': 'qtn_1 --raw',
  'quarantine release': 'qtn_1 qtn_2',
  'quarantine discard': 'qtn_1',
  'refusals list': '--reason unknown_issuer --from 1d',
  'refusals show': 'rfs_1',
  'refusals tail': '--from 15m',
  'alarms list': '--json',
  'alarms test': 'team',
  'alarms mute': 'circuit_open --subject books --until 2h',
  'alarms unmute': 'mut_0123456789',
  'audit list': '--action unmaskEvent --from 7d',
  log: '--level warn --from 7d',
  'storage backup': 'backup.db',
  'storage restore': 'backup.db',
  'storage verify': '--chain',
  'storage export': '--from 2026-11-01 --to 2026-12-01 --evidence',
  'storage move': '--to postgres://portaria@db.internal/portaria --password-file /run/portaria/password',
  'storage prune': '--dry-run',
  'storage redact': '--subject 42 --dry-run',
  'service reconcile': '--since 7d --dry-run',
  'service expect': '--file created.csv',
  'service gaps': '--since 30d',
  'service webhooks list': '--environment production --interface payment',
  'service webhooks create': '--environment production --interface payment --dry-run',
  'service webhooks delete': '--environment sandbox --interface registration',
  'service open-banking show': '--environment production',
  'service open-banking set': '--environment production --redirect-url https://shop.example.com/back',
  'service charges set-notification-url': '--all --environment production --report moved.jsonl --dry-run',
  'service subscriptions set-metadata': '1000001 --environment production --custom-id "order 42"',
  playground: '--folder data/playground',
  simulator: '--receiver-ca certs/server-ca.crt',
  'simulator ctl': 'advance-clock --by 36h',
  'simulator play': 'open-finance https://localhost:8443/bank-a --receiver-ca certs/server-ca.crt',
  conformance: 'https://callbacks.example.com/callbacks/payment --ca certs/server-ca.crt --log received.log',
  'conformance chain': '--folder chains',
  trigger: 'payment LIQUIDADO --set valor=10.00',
  listen: '--forward-to http://localhost:3000/hook --profile work',
  login: 'https://portaria.example:8080 --client-id shop --client-secret-file secret --profile work',
  logout: '--profile work',
  completion: 'bash',
  version: '--json',
}

/** Adds the example to the help; a group shows that of its first command. */
export function addExample(command: Command): void {
  command.addHelpText('after', `\n${translated('Example:')}\n  ${COMMAND} ${firstExample(command)}`)
}

function firstExample(command: Command): string {
  const [first] = command.commands
  return exampleOf(command) ?? (first === undefined ? '' : firstExample(first))
}

/** Without the word that starts the program; null: a group has none of its own. */
export function exampleOf(command: Command): string | null {
  const name = nameOf(command)
  if (Object.hasOwn(EXAMPLES, name)) return `${name} ${EXAMPLES[name]}`
  if (command.commands.length > 0) return null
  const needed = command.registeredArguments.filter(({ required }) => required)
  return [name, ...needed.map((argument) => argument.name().toUpperCase())].join(' ')
}

/** Its words behind the one that starts the program. */
function nameOf(command: Command): string {
  const { parent } = command
  return parent === null || parent.parent === null ? command.name() : `${nameOf(parent)} ${command.name()}`
}
