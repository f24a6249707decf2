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

/** The templates of `say` in the source, as pt.po has them. Of a plural that is the one for several. */
export function saidTexts(): SaidText[] {
  return globSync('src/**/*.ts', { cwd: ROOT })
    .sort()
    .flatMap((name) => saidIn(name, readFileSync(join(ROOT, name), 'utf8')))
}

/** @param name for the places */
export function saidIn(name: string, source: string): SaidText[] {
  const file = ts.createSourceFile(name, source, ts.ScriptTarget.Latest, true)
  const found: SaidText[] = []
  function look(node: ts.Node): void {
    if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'say' && !isOne(node)) {
      const { line } = file.getLineAndCharacterOfPosition(node.getStart())
      const context = contextOf(node)
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
