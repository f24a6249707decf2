import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript-6'
import { ROOT } from '../../../src/platform/program-files.ts'

export interface SaidText {
  readonly text: string
  /** File and line. */
  readonly place: string
  readonly context?: string
}

/** The templates of `say` and of speakers in the source, as pt.po has them. Of a plural that is the one for several. */
export function saidTexts(): SaidText[] {
  return globSync('src/**/*.ts', { cwd: ROOT })
    .sort()
    .flatMap((name) => saidIn(name, readFileSync(join(ROOT, name), 'utf8')))
}

/** `say`, a speaker, and a speaker for a context. */
const SAYING = /^(?:say|(?:\w+\.)?t(?:\.in\('[^']+'\))?)$/

/** @param name for the places */
export function saidIn(name: string, source: string): SaidText[] {
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true)
  const found: SaidText[] = []
  function look(node: ts.Node): void {
    if (ts.isTaggedTemplateExpression(node) && SAYING.test(node.tag.getText()) && !isOne(node)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart())
      const context = contextOf(node) ?? contextIn(node.tag)
      found.push({
        text: templateOf(node.template),
        place: `${name}:${line + 1}`,
        ...(context === null ? {} : { context }),
      })
    }
    ts.forEachChild(node, look)
  }
  look(file)
  return found
}

function templateOf(template: ts.TemplateLiteral): string {
  if (ts.isNoSubstitutionTemplateLiteral(template)) return template.text
  return template.templateSpans.reduce(
    (text, { expression, literal }) => `${text}{${nameOf(expression)}}${literal.text}`,
    template.head.text,
  )
}

/** That of the only key of the object. */
function nameOf(place: ts.Expression): string {
  const [property] = ts.isObjectLiteralExpression(place) ? place.properties : []
  return property?.name?.getText() ?? ''
}

/** The text for one of a plural, whose entry is found by the other. */
function isOne(node: ts.TaggedTemplateExpression): boolean {
  const { parent } = node
  return ts.isCallExpression(parent) && parent.expression.getText() === 'plural' && parent.arguments[1] === node
}

function contextOf({ parent }: ts.Node): string | null {
  if (!ts.isCallExpression(parent) || parent.expression.getText() !== 'inContext') return null
  const [context] = parent.arguments
  return context !== undefined && ts.isStringLiteralLike(context) ? context.text : null
}

/** Of ``t.in('certificate')`…` ``. */
function contextIn(tag: ts.Expression): string | null {
  return /\.in\('([^']+)'\)$/.exec(tag.getText())?.[1] ?? null
}
