import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type CommandNode, treeOf, withDescendants } from '../../src/cli/program/command-tree.ts'
import { SCRIPTS } from '../../src/cli/shell/scripts.ts'
import { everyCommand } from '../cli/every-command.ts'
import { portaria } from '../cli/program.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const has = (program: string, option = '--version') => spawnSync(program, [option]).error === undefined

let tree: CommandNode
beforeAll(async () => {
  const [first] = await everyCommand()
  if (first === undefined) throw new Error('there is no command')
  tree = treeOf(first)
})

/** A folder with the script `completion`, and one file to be found. */
function folderWith(shell: keyof typeof SCRIPTS): string {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'completion'), SCRIPTS[shell](tree))
  mkdirSync(join(folder, 'files'))
  writeFileSync(join(folder, 'files/server.crt'), '')
  return folder
}

/** What each of the lines becomes by one press of the tab key; the same line where nothing or several words fit. */
const COMPLETED: Readonly<Record<string, string>> = {
  'portaria ev': 'portaria events ',
  'portaria events l': 'portaria events list ',
  'portaria certs trust st': 'portaria certs trust stage ',
  'portaria events list --ord': 'portaria events list --order ',
  'portaria events list --state exh': 'portaria events list --state exhausted ',
  'portaria events list --state=exh': 'portaria events list --state=exhausted ',
  'portaria --config events ev': 'portaria --config events events ',
  'portaria events list --limit p': 'portaria events list --limit p',
  'portaria events list sho': 'portaria events list sho',
  'portaria certs show files/ser': 'portaria certs show files/server.crt ',
  'portaria events list --config files/ser': 'portaria events list --config files/server.crt ',
  'portaria completion z': 'portaria completion zsh ',
}

describe.skipIf(!has('zsh'))('completion of zsh', () => {
  it('completes commands, options, choices and files in an interactive shell', () => {
    const cwd = folderWith('zsh')
    const prepare = [
      'PS1= PS2= PROMPT_EOL_MARK=; autoload -Uz compinit; compinit -u -D; source ./completion',
      `show() { print -r -- "<<$BUFFER>>"; BUFFER= }; zle -N show; bindkey '^X' show; bindkey '^I' complete-word`,
      "print -r -- 'rea''dy>>'",
    ]
    // A pseudo-terminal, because the line editor needs one. Each read waits for the sign that ends an answer.
    const driver = `
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell ${quoted(prepare.join('\n'))}
zpty -r shell answer '*ready>>*'
for line in ${Object.keys(COMPLETED).map(quoted).join(' ')}; do
  zpty -n -w shell "$line"$'\\t\\x18'
  zpty -r shell answer '*<<*>>*'
  answer=\${answer##*<<}
  print -r -- "\${answer%%>>*}"
done
`
    const { stdout, stderr } = spawnSync('zsh', ['-f', '-c', driver], {
      cwd,
      encoding: 'utf8',
      // For an answer that never comes.
      timeout: 120_000,
      env: { ...process.env, TERM: 'dumb' },
    })
    expect(stderr).toBe('')
    expect(stdout.split('\n').slice(0, -1)).toEqual(Object.values(COMPLETED))
  })
})

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

describe.skipIf(!has('fish'))('completion of fish', () => {
  /** The words that fish offers for each line. */
  function offeredFor(lines: readonly string[]): string[][] {
    const script = [
      'source ./completion',
      ...lines.map((line) => `complete -C ${quoted(line)} | string split -f 1 \\t; echo ==`),
    ]
    const { stdout, stderr } = spawnSync('fish', ['--no-config', '-c', script.join('\n')], {
      cwd: folderWith('fish'),
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    return stdout
      .split('==\n')
      .slice(0, -1)
      .map((words) => words.split('\n').slice(0, -1).sort())
  }

  it('completes commands, options, choices and files', () => {
    const completed = offeredFor(Object.keys(COMPLETED)).map(([only], index) => {
      const line = Object.keys(COMPLETED)[index] ?? ''
      return only === undefined ? line : `${line.slice(0, line.lastIndexOf(' ') + 1)}${only} `
    })
    expect(completed).toEqual(Object.values(COMPLETED))
  })

  it('offers all commands of every group, and all options of every command', () => {
    const nodes = withDescendants(tree)
    const groups = nodes.filter(({ children }) => children.length > 0)
    expect(offeredFor(groups.map(({ words }) => ['portaria', ...words, ''].join(' ')))).toEqual(
      groups.map(({ children }) => children.map(({ words }) => words.at(-1)).sort()),
    )
    expect(offeredFor(nodes.map(({ words }) => ['portaria', ...words, '--'].join(' ')))).toEqual(
      nodes.map(({ options }) => options.map(({ long }) => long).sort()),
    )
  })
})

describe('the manual page', () => {
  let page: string
  let file: string
  beforeAll(async () => {
    page = (await portaria(null, 'man')).stdout
  })
  const written = () => {
    file = join(temporaryFolder(), 'portaria.1')
    writeFileSync(file, page)
    return file
  }

  it.skipIf(!has('man'))('has nothing that man warns of, and shows every command with its options', () => {
    const { stdout, stderr } = spawnSync('man', ['--warnings', '-l', written()], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C.UTF-8', MANWIDTH: '200', MANPAGER: 'cat' },
    })
    expect(stderr).toBe('')
    const text = stdout.replaceAll(/.\x08|\x1b\[\d*m/g, '')
    for (const { words, usage, options } of withDescendants(tree)) {
      if (words.length > 0) expect(text).toContain(`\n   ${usage}\n`)
      for (const { flags } of options) expect(text).toContain(`       ${flags}`)
    }
    expect(text).toContain('portaria events find "joão silva" 150,10 --from 7d')
    expect(text).not.toContain('bin/portaria')
  })

  it.skipIf(!has('mandoc', '-V'))('has nothing that mandoc warns of, except that it has no date', () => {
    const { stdout } = spawnSync('mandoc', ['-Tlint', '-Wwarning', written()], { encoding: 'utf8' })
    expect(stdout.split('\n').filter((line) => line !== '' && !line.includes('missing date'))).toEqual([])
  })
})
