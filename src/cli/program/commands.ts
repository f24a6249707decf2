import { Command } from 'commander'
import { COMMAND } from '../../platform/installation.ts'
import { languageInUse } from '../language/language.ts'

interface CommandEntry {
  readonly description: string
  /** As in its usage. */
  readonly argument?: string
  readonly load: () => Promise<Command>
}

/** The simulator's commands, which have texts of their own. */
async function loadSimulator() {
  const loaded = await import('portaria-simulator')
  await loaded.speak(languageInUse(), { simulator: `${COMMAND} simulator`, program: COMMAND, gateway: COMMAND })
  return loaded
}

/**
 * In the order of the help. Each is loaded on demand: a reading command then starts in a third of the time, and the help itself loads none. So their
 * descriptions stand here.
 */
const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  serve: {
    description: 'Run the gateway until SIGTERM or SIGINT',
    load: async () => (await import('../serve.ts')).serveCommand(),
  },
  reload: {
    description:
      'Make the running gateway read its configuration file again. With a mistake in the file nothing changes; a certificate, chain or secret that cannot be used holds nothing else back',
    load: async () => (await import('../reload.ts')).reloadCommand(),
  },
  init: {
    description:
      'Write a production configuration and its folders, and list what you still have to supply; overwrites nothing',
    argument: '[dir]',
    load: async () => (await import('../init.ts')).initCommand(),
  },
  demo: {
    description: 'Show what the gateway does: a short tour on this machine that leaves nothing behind',
    load: async () => (await import('../demo.ts')).demoCommand(),
  },
  probe: {
    description:
      'Make the two test requests of the payment service: without a client certificate (must be refused), and with one (must get 2xx)',
    argument: '<url>',
    load: async () => (await import('../probe.ts')).probeCommand(),
  },
  certs: {
    description: 'Create, install and inspect certificates',
    load: async () => (await import('../certs.ts')).certsCommand(),
  },
  check: {
    description:
      'Find problems that keep callbacks from being received or forwarded; run it before going live and daily after that',
    load: async () => (await import('../check.ts')).checkCommand(),
  },
  config: {
    description: 'Check the configuration file',
    load: async () => (await import('../config.ts')).configCommand(),
  },
  events: {
    description: 'Find, list, show and forward stored events',
    load: async () => (await import('../events.ts')).eventsCommand(),
  },
  consumers: {
    description: 'List, show and move consumers, which are named positions in the events',
    load: async () => (await import('../consumers.ts')).consumersCommand(),
  },
  deliveries: {
    description: 'List, show, retry and skip deliveries',
    load: async () => (await import('../deliveries.ts')).deliveriesCommand(),
  },
  replays: {
    description: 'Deliver many stored events again',
    load: async () => (await import('../replays.ts')).replaysCommand(),
  },
  destinations: {
    description: 'Manage destinations, to which events are forwarded',
    load: async () => (await import('../destinations.ts')).destinationsCommand(),
  },
  clients: {
    description: 'Manage clients: the apps that may use the API, and their scopes',
    load: async () => (await import('../clients.ts')).clientsCommand(),
  },
  quarantine: {
    description: 'List facts about accounts that are not your own, and release or discard them',
    load: async () => (await import('../quarantine.ts')).quarantineCommand(),
  },
  refusals: {
    description: 'List and show refused callers, with the reasons',
    load: async () => (await import('../refusals.ts')).refusalsCommand(),
  },
  alarms: {
    description: 'List, test and mute alarms, which reach people by e-mail, chat or a program',
    load: async () => (await import('../alarms/alarms.ts')).alarmsCommand(),
  },
  audit: {
    description: 'List actions: who changed something, or saw masked personal data',
    load: async () => (await import('../audit/audit.ts')).auditCommand(),
  },
  log: {
    description: "Read the gateway's log: what happened, what it means, and what to do",
    load: async () => (await import('../log/log-command.ts')).logCommand(),
  },
  nodes: {
    description: 'List the gateways that share a PostgreSQL database',
    load: async () => (await import('../nodes/nodes.ts')).nodesCommand(),
  },
  storage: {
    description: 'Back up, check, export and clean the database',
    load: async () => (await import('../storage.ts')).storageCommand(),
  },
  service: {
    description:
      'Register addresses at the service, see whether it accepts this gateway as its client, and ask it for what was missed',
    load: async () => (await import('../service.ts')).serviceCommand(),
  },
  playground: {
    description: 'Run a gateway and the simulated service together, to try both in a browser; never for production',
    load: async () => (await import('../playground/playground.ts')).playgroundCommand(),
  },
  simulator: {
    description: 'Run a simulated service, to try and test everything without a contract; never for production',
    load: async () => (await loadSimulator()).simulatorCommand(),
  },
  conformance: {
    description:
      "Try the service's rules on any receiver of callbacks, and report what it does wrong and how to mend it",
    argument: '[url]',
    load: async () => (await loadSimulator()).conformanceCommand(),
  },
  trigger: {
    description: 'Send a callback as the payment service does, with a test certificate, and judge the answer',
    argument: '[kind] [state]',
    load: async () => {
      const { findLocalTarget } = await import('../trigger/local-target.ts')
      return (await loadSimulator()).triggerCommand(findLocalTarget)
    },
  },
  listen: {
    description: 'Forward the events of a gateway to an app on this machine, until Ctrl-C',
    load: async () => (await import('../listen/listen.ts')).listenCommand(),
  },
  login: {
    description: 'Save the address and the credentials of a gateway of another machine as a profile',
    argument: '[url]',
    load: async () => (await import('../remote/login.ts')).loginCommand(),
  },
  logout: {
    description: 'Remove a profile with its credentials',
    load: async () => (await import('../remote/login.ts')).logoutCommand(),
  },
  completion: {
    description: 'Print the script that completes the commands and options of portaria in a shell',
    argument: '<shell>',
    load: async () => (await import('../shell/completion.ts')).completionCommand(),
  },
  man: {
    description: 'Print the manual page portaria(1) in roff',
    load: async () => (await import('../shell/man.ts')).manCommand(),
  },
  version: {
    description: 'Show the version, and what it was made of',
    load: async () => (await import('../version.ts')).versionCommand(),
  },
}

/** They tell of all commands. */
const NEED_ALL = ['help', 'completion', 'man']

/** The command of this name, and all of them for those that need them; for the list of commands, and for an unknown name, their descriptions are enough. */
export async function loadCommands(name: string): Promise<Command[]> {
  if (NEED_ALL.includes(name)) return Promise.all(Object.values(COMMANDS).map(loadCommand))
  if (Object.hasOwn(COMMANDS, name)) return [await loadCommand(COMMANDS[name] as CommandEntry)]
  // For installations, so no list has it.
  if (name === 'compile') return [(await import('./compile.ts')).compileCommand()]
  return Object.entries(COMMANDS).map(outlineOf)
}

async function loadCommand({ description, load }: CommandEntry): Promise<Command> {
  return (await load()).description(description)
}

function outlineOf([name, { description, argument }]: [string, CommandEntry]): Command {
  const outline = new Command(name).description(description)
  return argument === undefined ? outline : outline.arguments(argument)
}
