import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import ts from 'typescript-6'

const ROOT = resolve(import.meta.dirname, '../../..')
const SIMULATOR = 'simulator/src'
/** Pages and alarms say their texts by `say` and by a speaker; the log is English. */
const LEFT_OUT = /^src\/(messages|pages|alarms|metrics|api\/openapi|delivery)\/|^simulator\/src\/messages\//

/** Calls whose text a person sees on the command line: which argument it is. Functions that pass their own on to one of them are found. */
const CALLS: Readonly<Record<string, number>> = {
  PortariaError: 1,
  InvalidArgumentError: 0,
  DemoFailure: 0,
  mustHold: 1,
  refused: 1,
  did: 0,
  saw: 0,
  tell: 0,
  printHint: 0,
  printResult: 2,
  printText: 0,
  sectionOf: 0,
  confirm: 0,
  translated: 0,
  report: 1,
  refine: 1,
}
/** The same of the simulator, which also answers over HTTP, in texts that stay as they are. */
const CALLS_OF_SIMULATOR: Readonly<Record<string, number>> = {
  SimulatorError: 1,
  InvalidArgumentError: 0,
  wrong: 1,
  damaged: 1,
  expired: 1,
  translated: 0,
}
const FUNCTIONS_OF_SIMULATOR = /^(noteOn|hostWarning)$/
/** Keys of objects with such a text. */
const KEYS = ['none', 'words', 'problem', 'interrupted', 'done', 'title']
/** Functions that return such a text, or a part of it. */
const FUNCTIONS = /^(problem|words|reason|advice|text|hint|warning|waits|message)(Of|For|In)?[A-Z]?/

/** Functions that return several of them. */
const LISTS = /^explain[A-Z]/

const MOST_VARIANTS = 40

type Calls = ReadonlyMap<string, number>

const known = new Map<string, Map<string, string>>()

/** The English texts of the source of a program, each with its first place; a value is `{name}`. Each line of a text is one. */
export function sourceTexts(folder: 'src' | typeof SIMULATOR): Map<string, string> {
  const before = known.get(folder)
  if (before !== undefined) return before
  const found = new Map<string, string>()
  known.set(folder, found)
  for (const file of filesIn(folder).filter(({ fileName }) => !LEFT_OUT.test(fileName))) {
    const calls = isOfSimulator(file) ? CALLS_OF_SIMULATOR : CALLS
    for (const [text, node] of textsIn(file, new Map([...Object.entries(calls), ...passingIn(file)]))) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart())
      for (const one of linesOf(text)) if (!found.has(one)) found.set(one, `${file.fileName}:${line + 1}`)
    }
  }
  return found
}

function filesIn(folder: string): ts.SourceFile[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name))
    .map((name) => ts.createSourceFile(name, readFileSync(join(ROOT, name), 'utf8'), ts.ScriptTarget.Latest, true))
}

function isOfSimulator({ fileName }: ts.SourceFile): boolean {
  return fileName.startsWith(SIMULATOR)
}

/** Lines with words in them that are no commands to copy. */
function linesOf(text: string): string[] {
  const lines = text.split('\n').filter((line) => !/^ {2,}/.test(line))
  return (
    lines
      // A value may be a line of its own, or none.
      .map((line) => line.trim().replace(/^(\{\w+\})+(?=[A-Za-z])/, ''))
      .filter((line) => / /.test(line) && /[a-z]{2}/i.test(line.replaceAll(/\{\w+\}/g, '')))
  )
}

function textsIn(file: ts.SourceFile, calls: Calls): [string, ts.Node][] {
  const [keys, functions] = isOfSimulator(file) ? [[], FUNCTIONS_OF_SIMULATOR] : [KEYS, FUNCTIONS]
  const found: [string, ts.Node][] = []
  const take = (node: ts.Expression | undefined) => {
    if (node !== undefined) for (const text of variantsOf(node)) found.push([text, node])
  }
  function look(node: ts.Node): void {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const index = calls.get(calleeOf(node))
      if (index !== undefined) take(node.arguments?.[index])
    }
    if (ts.isPropertyAssignment(node) && keys.includes(node.name.getText())) take(node.initializer)
    if (ts.isFunctionDeclaration(node) && functions.test(node.name?.text ?? '') && returnsText(node))
      for (const text of returnedIn(node)) take(text)
    if (ts.isFunctionDeclaration(node) && LISTS.test(node.name?.text ?? '') && node.type?.getText() === 'string[]')
      for (const texts of returnedIn(node)) take(texts)
    ts.forEachChild(node, look)
  }
  look(file)
  return found
}

function calleeOf({ expression }: ts.CallExpression | ts.NewExpression): string {
  return ts.isPropertyAccessExpression(expression) ? expression.name.text : expression.getText()
}

/** Functions of the file that give one of their parameters to an error: which one. */
function passingIn(file: ts.SourceFile): [string, number][] {
  return file.statements.filter(ts.isFunctionDeclaration).flatMap((declaration): [string, number][] => {
    const names = declaration.parameters.map(({ name }) => name.getText())
    let index = -1
    const look = (node: ts.Node): void => {
      const message =
        ts.isNewExpression(node) && /^(Portaria|Simulator)Error$/.test(calleeOf(node)) ? node.arguments?.[1] : undefined
      if (message !== undefined && ts.isIdentifier(message)) index = Math.max(index, names.indexOf(message.text))
      ts.forEachChild(node, look)
    }
    look(declaration)
    return index === -1 ? [] : [[declaration.name?.text ?? '', index]]
  })
}

/** Every text that the expression may be. */
function variantsOf(node: ts.Expression, depth = 0): string[] {
  const variants = depth > 8 ? [placeholder(node)] : expanded(node, (one) => variantsOf(one, depth + 1))
  return variants.length > MOST_VARIANTS ? [placeholder(node)] : variants
}

function expanded(node: ts.Expression, below: (node: ts.Expression) => string[]): string[] {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return [node.text]
  if (ts.isParenthesizedExpression(node)) return below(node.expression)
  if (ts.isArrayLiteralExpression(node)) return unique(node.elements.flatMap(below))
  if (node.kind === ts.SyntaxKind.NullKeyword) return []
  if (ts.isConditionalExpression(node)) return unique([...below(node.whenTrue), ...below(node.whenFalse)])
  if (ts.isTemplateExpression(node))
    return node.templateSpans.reduce<string[]>(
      (texts, { expression, literal }) => joined(joined(texts, below(expression)), [literal.text]),
      [node.head.text],
    )
  if (ts.isBinaryExpression(node)) {
    const { kind } = node.operatorToken
    if (kind === ts.SyntaxKind.PlusToken) return joined(below(node.left), below(node.right))
    if (kind === ts.SyntaxKind.QuestionQuestionToken || kind === ts.SyntaxKind.BarBarToken)
      return unique([...below(node.left), ...below(node.right)])
  }
  if (ts.isIdentifier(node)) {
    const value = constantOf(node)
    return value === null ? [placeholder(node)] : below(value)
  }
  const returned = ts.isCallExpression(node) && ts.isIdentifier(node.expression) ? returnedBy(node.expression) : []
  return returned.length > 0 ? unique(returned.flatMap(below)) : [placeholder(node)]
}

function joined(left: readonly string[], right: readonly string[]): string[] {
  return unique(left.flatMap((one) => right.map((other) => one + other)))
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)]
}

function placeholder(node: ts.Expression): string {
  return `{${
    node
      .getText()
      .match(/[A-Za-z]\w*/g)
      ?.at(-1) ?? 'value'
  }}`
}

/** What a `const` of this name is set to, in the nearest block. */
function constantOf({ text, parent }: ts.Identifier): ts.Expression | null {
  const isNamed = (name: ts.BindingName) => new RegExp(`\\b${text}\\b`).test(name.getText())
  for (let scope: ts.Node | undefined = parent; scope !== undefined; scope = scope.parent) {
    if (ts.isFunctionLike(scope) && scope.parameters.some(({ name }) => isNamed(name))) return null
    if (!ts.isBlock(scope) && !ts.isSourceFile(scope)) continue
    const found = scope.statements
      .filter(ts.isVariableStatement)
      .flatMap(({ declarationList }) => declarationList.declarations)
      .find(({ name }) => isNamed(name))
    if (found !== undefined) {
      const isConstant = (found.parent.flags & ts.NodeFlags.Const) !== 0
      return isConstant && ts.isIdentifier(found.name) ? (found.initializer ?? null) : null
    }
  }
  return null
}

/** What a function of this file with this name returns. */
function returnedBy(name: ts.Identifier): ts.Expression[] {
  return name
    .getSourceFile()
    .statements.filter(ts.isFunctionDeclaration)
    .filter((one) => one.name?.text === name.text && returnsText(one))
    .flatMap(returnedIn)
}

function returnsText({ type }: ts.FunctionDeclaration): boolean {
  return /^string\b(?!\[)/.test(type?.getText() ?? '')
}

function returnedIn({ body }: ts.FunctionDeclaration): ts.Expression[] {
  const found: ts.Expression[] = []
  const look = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) return
    if (ts.isReturnStatement(node) && node.expression !== undefined) found.push(node.expression)
    ts.forEachChild(node, look)
  }
  if (body !== undefined) ts.forEachChild(body, look)
  return found
}
