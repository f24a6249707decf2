import { execFileSync, spawn, spawnSync } from 'node:child_process'

/** Whether the independent witness is there: `it.skipIf(!hasOpenssl)`. */
export const hasOpenssl = spawnSync('openssl', ['version']).status === 0

/** Standard output of the openssl command line. Throws with its standard error when it fails. */
export function openssl(args: readonly string[], options: { input?: string; cwd?: string } = {}): string {
  return execFileSync('openssl', args, { ...options, encoding: 'utf8', stdio: 'pipe', timeout: 60_000 })
}

/** What a server answered to this input over TLS; '' when it closed the connection without a word. */
export function callByOpenssl(port: number, args: readonly string[], input: string): Promise<string> {
  // Weak certificates and old versions too: the server shall refuse them, not the caller.
  const all = ['s_client', '-quiet', '-cipher', 'DEFAULT@SECLEVEL=0', '-connect', `127.0.0.1:${port}`, ...args]
  const child = spawn('openssl', all, { timeout: 10_000, stdio: ['pipe', 'pipe', 'ignore'] })
  let answer = ''
  child.stdout.on('data', (text: Buffer) => (answer += text.toString()))
  // A caller that is refused leaves its input unread.
  child.stdin.on('error', () => undefined)
  child.stdin.write(input)
  return new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (_code, signal) => resolve(signal === null ? answer : 'neither answered nor closed'))
  })
}
