import { type CommandNode, withDescendants } from '../program/command-tree.ts'

/*
 * Each script finds the command that the typed words name, and then offers what may follow there. Shells know nothing of commander:
 * all words of the tree are in the script, so that no key starts the program.
 */

export const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const

/** Patterns that follow the words up to a command, such as ` events list`. */
interface Patterns {
  readonly commands: readonly string[]
  /** Options of groups that take a value, which is no command. */
  readonly values: readonly string[]
}

function patternsOf(nodes: readonly CommandNode[]): Patterns {
  const groups = nodes.filter(({ children }) => children.length > 0)
  return {
    commands: groups.flatMap(({ children }) => children.map(keyOf)),
    values: groups.flatMap((group) => valueOptions(group).map(({ long }) => `${keyOf(group)} ${long}`)),
  }
}

/** What the scripts compare: each word behind a space. */
function keyOf({ words }: CommandNode): string {
  return words.map((word) => ` ${word}`).join('')
}

function valueOptions({ options }: CommandNode) {
  return options.flatMap(({ value, ...option }) => (value === null ? [] : [{ ...option, value }]))
}

/** The words that may follow in place of an option. */
function wordsOf({ children, arguments: [first] }: CommandNode) {
  return children.length > 0 ? children.map(({ words }) => words.at(-1) ?? '') : (first?.choices ?? [])
}

function takesFile({ children, arguments: known }: CommandNode): boolean {
  return children.length === 0 && known.some(({ isFile }) => isFile)
}

/** In single quotes of bash and zsh. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}

/** The patterns of one branch of `case`. */
function either(patterns: readonly string[]): string {
  return patterns.map(quoted).join(' | ')
}

function bashScript(program: CommandNode): string {
  const nodes = withDescendants(program)
  const { commands, values } = patternsOf(nodes)
  return `# Completion of portaria for bash.
_portaria() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command='' names='' options='' index
  # Bash makes a word of the sign in --option=value.
  if [[ $current == = ]]; then
    current=''
  elif [[ $previous == = ]]; then
    previous=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$command \${COMP_WORDS[index]}" in
    ${either(commands)}) command+=" \${COMP_WORDS[index]}" ;;
    ${either(values)}) index=$((index + 1)) ;;
    esac
  done
  case "$command" in
${nodes.map(bashBranch).join('')}  esac
  [[ $current == -* ]] && names=$options
  mapfile -t COMPREPLY < <(compgen -W "$names" -- "$current")
}
complete -F _portaria portaria
`
}

function bashBranch(node: CommandNode): string {
  const given = valueOptions(node).map(({ long, value }) => `    ${long}) ${bashValue(value)} ;;\n`)
  const file = takesFile(node) ? '    *) [[ $current == -* ]] || compopt -o default ;;\n' : ''
  return `  ${quoted(keyOf(node))})
    options=${quoted(node.options.map(({ long }) => long).join(' '))}
    names=${quoted(wordsOf(node).join(' '))}
    case "$previous" in
${given.join('')}${file}    esac
    ;;
`
}

function bashValue({ choices, isFile }: { choices: readonly string[]; isFile: boolean }): string {
  if (isFile) return 'compopt -o default; return'
  return choices.length === 0 ? 'return' : `options='' names=${quoted(choices.join(' '))}`
}

function zshScript(program: CommandNode): string {
  const nodes = withDescendants(program)
  const { commands, values } = patternsOf(nodes)
  return `#compdef portaria
# Completion of portaria for zsh.
_portaria() {
  local command= previous=\${words[CURRENT-1]}
  local -i index
  local -a names options
  if [[ $PREFIX == --*=* ]]; then
    previous=\${PREFIX%%=*}
    compset -P '*='
  fi
  for ((index = 2; index < CURRENT; index++)); do
    case "$command \${words[index]}" in
    ${either(commands)}) command+=" \${words[index]}" ;;
    ${either(values)}) index+=1 ;;
    esac
  done
  case "$command" in
${nodes.map(zshBranch).join('')}  esac
  if [[ $PREFIX == -* ]]; then
    _describe -o option options
  elif (( $#names )); then
    _describe word names
  fi
}
if [[ $funcstack[1] == _portaria ]]; then
  _portaria "$@"
else
  compdef _portaria portaria
fi
`
}

function zshBranch(node: CommandNode): string {
  const given = valueOptions(node).map(({ long, value }) => `    ${long}) ${zshValue(value)}return ;;\n`)
  const described = ({ long, description }: { long: string; description: string }) => quoted(`${long}:${description}`)
  const names =
    node.children.length > 0
      ? node.children.map(({ words, description }) => described({ long: words.at(-1) ?? '', description }))
      : wordsOf(node).map(quoted)
  const file = takesFile(node) ? `\n    [[ $PREFIX == -* ]] || _files` : ''
  return `  ${quoted(keyOf(node))})
    case "$previous" in
${given.join('')}    esac
    options=(${node.options.map(described).join(' ')})
    names=(${names.join(' ')})${file}
    ;;
`
}

function zshValue({ choices, isFile }: { choices: readonly string[]; isFile: boolean }): string {
  if (isFile) return '_files; '
  return choices.length === 0 ? '' : `compadd -- ${choices.map(quoted).join(' ')}; `
}

function fishScript(program: CommandNode): string {
  const nodes = withDescendants(program)
  const { commands, values } = patternsOf(nodes)
  const patterns = (list: readonly string[]) => list.map(fishQuoted).join(' ')
  return `# Completion of portaria for fish.
function __portaria_at --description 'Whether the typed words name this command'
    set -l command ''
    set -l isValue no
    for word in (commandline -opc)[2..-1]
        if test $isValue = yes
            set isValue no
            continue
        end
        switch "$command $word"
            case ${patterns(commands)}
                set command "$command $word"
            case ${patterns(values)}
                set isValue yes
        end
    end
    test "$command" = "$argv[1]"
end
complete -c portaria -f
${nodes.map(fishLines).join('')}`
}

function fishLines(node: CommandNode): string {
  const here = `complete -c portaria -n ${fishQuoted(`__portaria_at "${keyOf(node)}"`)}`
  const names = node.children.map(
    ({ words, description }) => `${here} -a ${fishQuoted(words.at(-1) ?? '')} -d ${fishQuoted(description)}\n`,
  )
  const choices =
    node.children.length === 0 && wordsOf(node).length > 0 ? `${here} -a ${fishQuoted(wordsOf(node).join(' '))}\n` : ''
  const options = node.options.map(
    ({ long, value, description }) => `${here} -l ${long.slice(2)}${fishValue(value)} -d ${fishQuoted(description)}\n`,
  )
  return [...names, choices, takesFile(node) ? `${here} -F\n` : '', ...options].join('')
}

function fishValue(value: { choices: readonly string[]; isFile: boolean } | null): string {
  if (value === null) return ''
  if (value.isFile) return ' -r -F'
  return value.choices.length === 0 ? ' -x' : ` -x -a ${fishQuoted(value.choices.join(' '))}`
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, '\\$&')}'`
}
