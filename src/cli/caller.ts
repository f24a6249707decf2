import { type Asker, askerOver, type Caller, callerOf, targetOf } from './asking.ts'
import type { ApiCall } from './control-client.ts'
import type { ChangeOption, ConfigOption } from './options.ts'
import { chosenRemote } from './remote/chosen.ts'

/** For a command that only reads: over the API of another machine, or over the database of this one. Creates and changes nothing. */
export async function withCaller<T>(options: ConfigOption, use: (caller: Caller) => Promise<T>): Promise<T> {
  const remote = chosenRemote()
  if (remote === null) {
    const { withOwnCaller } = await import('./own-caller.ts')
    return withOwnCaller(options, use)
  }
  const { connectToRemote } = await import('./remote/connection.ts')
  const gateway = await connectToRemote(remote)
  const bytes: Caller['bytes'] = ({ method, path }, { body, ...input } = {}, signal) =>
    gateway.download({ method: method.toUpperCase(), target: targetOf(path, input), body, signal })
  return use(callerOf(gateway.address, bytes)).finally(gateway.close)
}

/** As `withCaller`; but a gateway that runs here is asked itself, because it knows more than its database has. */
export async function withLiveCaller<T>(options: ConfigOption, use: (asker: Asker) => Promise<T>): Promise<T> {
  if (chosenRemote() !== null) return withCaller(options, use)
  const { overGateway } = await import('./control-client.ts')
  const { readConfig } = await import('./config-file.ts')
  const call = await overGateway(readConfig(options))
  return call === null ? withCaller(options, use) : use(askerOver(call))
}

/** For a command that changes something: over the API of another machine, or over the control socket of this one. */
export function withChanger<T>(options: ChangeOption, use: (changer: Asker) => Promise<T>): Promise<T> {
  return withChanges(options, (call) => use(askerOver(call)))
}

/** As `withChanger`, by path: for operations whose schemas depend on the configuration. */
export async function withChanges<T>(options: ChangeOption, use: (call: ApiCall) => Promise<T>): Promise<T> {
  const { withControl, withReasonOf, withRemote } = await import('./control-client.ts')
  if (chosenRemote() !== null) return withRemote((call) => use(withReasonOf(options.reason, call)))
  const { readConfig } = await import('./config-file.ts')
  return withControl(readConfig(options), use, options.reason)
}
