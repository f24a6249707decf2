import type { Command } from 'commander'
import { COMMAND } from '../../platform/installation.ts'
import { translated } from '../language/language.ts'

/** An example of each command, by its name, without the word that starts the program. Commands with options that belong together show them. */
const EXAMPLES: Readonly<Record<string, string>> = {
  serve: 'serve',
  reload: 'reload',
  init: 'init site --host-name callbacks.example.com',
  demo: 'demo',
  probe: 'probe https://callbacks.example.com/callbacks/payment --cert client.crt --key client.key',
  'certs show': 'certs show --host callbacks.example.com:8443',
  'certs check': 'certs check --days 60',
  'certs csr': 'certs csr --name callbacks.example.com --key server.key --out server.csr',
  'certs import': 'certs import issued.pem intermediates.pem --key server.key',
  'certs export': 'certs export --out bundle.p12 --format p12',
  'certs trust list': 'certs trust list --environment production',
  'certs trust stage': 'certs trust stage chain.pem --environment production --name chain-2027',
  'certs trust diff': 'certs trust diff chain-2027 --environment production',
  'certs trust fetch': 'certs trust fetch --environment production',
  'certs trust activate': 'certs trust activate chain-2027 --environment production',
  'certs trust retire': 'certs trust retire chain-2026 --environment production',
  'certs authority create': 'certs authority create --out /var/lib/portaria/authority',
  'certs authority show': 'certs authority show',
  'certs authority list': 'certs authority list --all',
  'certs authority crl': 'certs authority crl',
  'certs issue': 'certs issue gateway --for forwarding --out certs',
  'certs sign': 'certs sign bank.csr --out bank.pem',
  'certs revoke': 'certs revoke books --because key-compromise',
  check: 'check --url https://callbacks.example.com/callbacks/payment',
  'config check': 'config check --config /etc/portaria/portaria.yaml',
  'events list': 'events list --kind payment --from 2h',
  'events find': 'events find "joão silva" 150,10 --from 7d',
  'events show': 'events show evt_1a_0123456789 --json',
  'events tail': 'events tail --kind payment',
  'events replay': 'events replay evt_1a_0123456789 --destination books',
  'consumers list': 'consumers list',
  'consumers show': 'consumers show books',
  'consumers seek': 'consumers seek books --time "2026-11-22 10:00"',
  'consumers delete': 'consumers delete books',
  'deliveries list': 'deliveries list --state pending --destination books',
  'deliveries show': 'deliveries show dlv_1',
  'deliveries retry': 'deliveries retry dlv_1',
  'deliveries skip': 'deliveries skip dlv_1',
  'replays create': 'replays create --destination books --from 2d --to 1h --dry-run',
  'replays list': 'replays list --state running',
  'replays show': 'replays show rpl_1',
  'replays delete': 'replays delete rpl_1',
  'destinations create': 'destinations create https://app.example.com/callbacks --name books --kind payment',
  'destinations list': 'destinations list --json',
  'destinations show': 'destinations show books --secret',
  'destinations update': 'destinations update books --timeout 5000 --reset rate-limit',
  'destinations rotate-secret': 'destinations rotate-secret books --overlap 24h',
  'destinations pause': 'destinations pause books',
  'destinations resume': 'destinations resume books',
  'destinations delete': 'destinations delete books',
  'destinations test': 'destinations test books',
  'destinations stats': 'destinations stats books',
  'clients create': 'clients create --name shop --environment sandbox --scopes events.read',
  'clients list': 'clients list --revoked',
  'clients show': 'clients show shop',
  'clients rotate': 'clients rotate shop --grace 1h',
  'clients certificate': 'clients certificate shop --out shop --p12',
  'clients revoke': 'clients revoke shop',
  'quarantine list': 'quarantine list --state quarantined',
  'quarantine show': 'quarantine show qtn_1 --raw',
  'quarantine release': 'quarantine release qtn_1 qtn_2',
  'quarantine discard': 'quarantine discard qtn_1',
  'refusals list': 'refusals list --reason unknown_issuer --from 1d',
  'refusals show': 'refusals show rfs_1',
  'refusals tail': 'refusals tail --from 15m',
  'alarms list': 'alarms list --json',
  'alarms test': 'alarms test team',
  'alarms mute': 'alarms mute circuit_open --subject books --until 2h',
  'alarms unmute': 'alarms unmute mut_0123456789',
  'audit list': 'audit list --action unmaskEvent --from 7d',
  log: 'log --level warn --from 7d',
  'nodes list': 'nodes list',
  'storage backup': 'storage backup backup.db',
  'storage restore': 'storage restore backup.db',
  'storage confirm-loss': 'storage confirm-loss',
  'storage verify': 'storage verify --chain',
  'storage stats': 'storage stats',
  'storage export': 'storage export --from 2026-11-01 --to 2026-12-01 --evidence',
  'storage move': 'storage move --to postgres://portaria@db.internal/portaria --password-file /run/portaria/password',
  'storage prune': 'storage prune --dry-run',
  'storage redact': 'storage redact --subject 42 --dry-run',
  'storage reindex': 'storage reindex',
  'storage confirm-clock': 'storage confirm-clock',
  'service status': 'service status',
  'service reconcile': 'service reconcile --since 7d --dry-run',
  'service expect': 'service expect --file created.csv',
  'service gaps': 'service gaps --since 30d',
  'service webhooks list': 'service webhooks list --environment production --interface payment',
  'service webhooks create': 'service webhooks create --environment production --interface payment --dry-run',
  'service webhooks delete': 'service webhooks delete --environment sandbox --interface registration',
  'service open-banking show': 'service open-banking show --environment production',
  'service open-banking set':
    'service open-banking set --environment production --redirect-url https://shop.example.com/back',
  'service charges set-notification-url':
    'service charges set-notification-url --all --environment production --report moved.jsonl --dry-run',
  'service subscriptions set-metadata':
    'service subscriptions set-metadata 1000001 --environment production --custom-id "order 42"',
  playground: 'playground --folder data/playground',
  simulator: 'simulator --receiver-ca certs/server-ca.crt',
  'simulator ctl': 'simulator ctl advance-clock --by 36h',
  'simulator play': 'simulator play open-finance https://localhost:8443/bank-a --receiver-ca certs/server-ca.crt',
  conformance:
    'conformance https://callbacks.example.com/callbacks/payment --ca certs/server-ca.crt --log received.log',
  'conformance chain': 'conformance chain --folder chains',
  trigger: 'trigger payment LIQUIDADO --set valor=10.00',
  listen: 'listen --forward-to http://localhost:3000/hook --profile work',
  login: 'login https://portaria.example:8080 --client-id shop --client-secret-file secret --profile work',
  logout: 'logout --profile work',
  completion: 'completion bash',
  man: 'man',
  version: 'version --json',
}

/** Adds the example to the help; a group shows that of its first command. */
export function addExample(command: Command): void {
  const example = exampleOf(command)
  if (example !== undefined) command.addHelpText('after', `\n${translated('Example:')}\n  ${COMMAND} ${example}`)
}

/** Without the word that starts the program; null: a group has none of its own. @param words behind that word */
export function exampleFor(words: readonly string[]): string | null {
  return EXAMPLES[words.join(' ')] ?? null
}

function exampleOf(command: Command): string | undefined {
  const [first] = command.commands
  return EXAMPLES[nameOf(command)] ?? (first === undefined ? undefined : exampleOf(first))
}

/** Its words behind the one that starts the program. */
function nameOf(command: Command): string {
  const { parent } = command
  return parent === null || parent.parent === null ? command.name() : `${nameOf(parent)} ${command.name()}`
}
