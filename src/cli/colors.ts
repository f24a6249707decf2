import { styleText } from 'node:util'

/** Headings are bold; states good, warning and problem are green, yellow and red. */
export type Style = 'bold' | 'green' | 'yellow' | 'red'

/** In a terminal that shows colors the text in this style, elsewhere as it is. NO_COLOR turns colors off. */
export function styled(style: Style | null, text: string, stream: NodeJS.WriteStream = process.stdout): string {
  // FORCE_COLOR alone would color what goes into a pipe or the journal.
  return style !== null && stream.isTTY ? styleText(style, text, { stream }) : text
}

/** `--no-color`, of this process and of those that it starts. */
export function turnColorsOff(): void {
  process.env.NO_COLOR = '1'
  // It would win over NO_COLOR.
  delete process.env.FORCE_COLOR
}
