/**
 * The command lines whose output is kept, noun by noun, in the order in which they run on one site: what a line changes, later lines show.
 * `EVENT_N` is the id of the event at position N.
 */
export const SCRIPT: Readonly<Record<string, string>> = {
  audit: `
    audit list
    audit list --json --limit 1
    audit list --actor operator --action pauseDestination
    audit list --actor support
    audit list --actor nobody
    audit list --target books`,
  alarms: `
    alarms list
    alarms list --json
    alarms mute circuit_open --subject books --until 1h --note maintenance
    alarms mute all --until 2026-01-15T13:00:00Z
    alarms mute nothing --until 1h
    alarms unmute mut_0000000000
    alarms unmute nothing
    alarms list`,
  service: `
    service gaps
    service gaps --json
    service gaps --environment sandbox
    service gaps --institution nobody
    service status`,
  consumers: `
    consumers list
    consumers list --json
    consumers list --limit 1
    consumers list --limit 0
    consumers show books
    consumers show books --json
    consumers show books --owner shop
    consumers show books --owner cli_sh0p000000 --json
    consumers show books --owner operator
    consumers show books --owner old
    consumers show books --owner nobody
    consumers show nothing
    consumers show ../books
    consumers seek books
    consumers seek books --position start --time 1h
    consumers seek books --position nowhere
    consumers seek books --position latest
    consumers seek books --position EVENT_3 --json
    consumers seek books --time 2026-01-15T12:12:00Z --reason again
    consumers seek books --owner shop --position start
    consumers seek books --owner nobody --position start
    consumers seek nothing --position start
    consumers delete nothing
    consumers delete books --owner nobody
    consumers delete books --owner shop --json
    consumers delete books
    consumers list
    audit list --action seekConsumer
    audit list --action deleteConsumer --json`,
  events: `
    events list
    events list --json
    events list --limit 2 --order asc
    events list --kind payment --environment production --from 2026-01-15T12:11:00Z --to 2026-01-15T12:30:00Z
    events list --subject 90817 --json
    events list --status none
    events list --kind nothing
    events list --institution nobody
    events list --from 1h --to 2h
    events find Maria
    events find Maria --events
    events find 150,10 --json
    events find nothing-like-this
    events show EVENT_1
    events show EVENT_1 --json
    events show EVENT_1 --raw
    events show EVENT_1 --evidence
    events show EVENT_1 --evidence --json
    events show EVENT_5
    events show EVENT_6 --json
    events show evt_9_0123456789
    events show nothing
    events replay EVENT_1 --destination books
    events replay EVENT_1 --destination nobody
    events replay EVENT_1 --json
    events replay evt_9_0123456789
    events show EVENT_1`,
  deliveries: `
    deliveries list
    deliveries list --json
    deliveries list --state exhausted
    deliveries list --destination books --subject 90817 --limit 1
    deliveries list --destination nobody
    deliveries list --subject nothing
    deliveries show dlv_1
    deliveries show dlv_1 --json
    deliveries show dlv_6
    deliveries show dlv_99
    deliveries show nothing
    deliveries retry dlv_6
    deliveries retry dlv_1
    deliveries retry dlv_99
    deliveries skip dlv_7 --json
    deliveries skip dlv_7
    deliveries skip nothing
    deliveries show dlv_7`,
  destinations: `
    destinations list
    destinations list --json
    destinations list --limit 1
    destinations show books
    destinations show erp --json
    destinations show erp --secret
    destinations show erp --secret --json
    destinations show nobody
    destinations stats
    destinations stats books --json
    destinations stats nobody
    destinations create https://new.example/hook --name new --kind payment --environment sandbox --timeout 5000
    destinations create https://new.example/hook --name new
    destinations create http://example.com/hook --name plain
    destinations create ftp://example.com --name ftp
    destinations update books --timeout 4000 --reason slower
    destinations update books --timeout 1
    destinations update nobody --timeout 4000
    destinations update books --reset rate-limit --json
    destinations rotate-secret books --overlap 24h
    destinations rotate-secret nobody
    destinations pause new
    destinations pause nobody
    destinations resume new --json
    destinations delete new --yes
    destinations delete nobody --yes
    destinations test nobody
    destinations list`,
  clients: `
    clients list
    clients list --json
    clients list --revoked
    clients list --limit 1
    clients show shop
    clients show cli_0ld0000000 --json
    clients show old
    clients show nobody
    clients create --name reader --environment any --scopes events.read --reason new
    clients create --name reader --environment any --scopes events.read
    clients create --name other --environment any --scopes nothing
    clients rotate shop --grace 1h --json
    clients rotate nobody
    clients revoke support
    clients revoke nobody
    clients list --revoked`,
  quarantine: `
    quarantine list
    quarantine list --json
    quarantine list --state released
    quarantine list --kind instant-payment --reason account_foreign --limit 1
    quarantine list --kind payment --kind instant-payment --environment production
    quarantine list --from 2026-01-15T12:16:00Z --to 2026-01-15T12:17:00Z
    quarantine list --from 1h
    quarantine list --kind nothing
    quarantine show qtn_1
    quarantine show qtn_1 --json
    quarantine show qtn_99
    quarantine show nothing
    quarantine release qtn_1 --reason ours
    quarantine release qtn_1
    quarantine discard qtn_2 --json
    quarantine discard qtn_99
    quarantine list`,
  replays: `
    replays list
    replays create --destination archive --dry-run
    replays create --destination archive --kind registration --mode all --dry-run --json
    replays create --destination nobody --dry-run
    replays create --destination nobody
    replays create --destination archive --kind nothing --dry-run
    replays create --destination archive --kind registration --mode all --no-wait
    replays list
    replays list --json
    replays list --state running
    replays show rpl_1
    replays show rpl_1 --json
    replays show rpl_99
    replays show nothing
    replays delete rpl_1
    replays delete rpl_99
    replays delete nothing`,
  refusals: `
    refusals list
    refusals list --json
    refusals list --reason unknown_issuer --limit 1
    refusals list --reason no_certificate --reason invalid_token --json
    refusals list --from 69m
    refusals list --address 192.0.2.9
    refusals list --reason nothing
    refusals list --address 192.0.2.1 --listener api
    refusals show rfs_2
    refusals show rfs_2 --json
    refusals show rfs_99
    refusals show nothing`,
  others: `
    nodes list
    nodes list --json
    certs check
    certs check --json
    certs check --days 1000
    storage redact --subject 90818 --dry-run
    storage redact --subject 90818 --yes --json
    storage redact --subject nothing --yes
    storage prune --dry-run
    storage prune
    storage confirm-clock
    storage reindex
    storage stats --json --api https://gateway.example --token-file nothing
    version --api https://gateway.example --token-file nothing`,
}
