// SIGHUP means reload, and Node ends a process that does not listen for it. Loading the program takes some 400 ms, in which there is nothing to read again:
// the configuration is read later. Nothing is imported statically here, because that would be loaded first.
if (process.argv.includes('serve')) process.on('SIGHUP', () => undefined)

const { runCommandLine } = await import('./cli/program/command-line.ts')
await runCommandLine()
