import { type Html, html } from './html.ts'

export interface Bars {
  /** Read out by screen readers in place of the picture. */
  readonly label: string
  /** Of each bar, from below; the same number of bars. */
  readonly good: readonly number[]
  readonly bad: readonly number[]
}

const HEIGHT = 100
const STEP = 10
const WIDTH = 8

/** Bars on top of each other, as SVG: two shapes, however many bars. The highest fills the height. */
export function bars({ label, good, bad }: Bars): Html {
  const sums = good.map((count, index) => count + (bad[index] ?? 0))
  const scale = HEIGHT / Math.max(1, ...sums)
  const floor = (index: number) => HEIGHT - (good[index] ?? 0) * scale
  return html`<svg class="bars" viewBox="0 0 ${good.length * STEP} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${label}">
<rect data-mark x="0" y="0" width="${STEP}" height="${HEIGHT}" hidden/><path class="good" d="${shapeOf(good, scale, () => HEIGHT)}"/><path class="bad" d="${shapeOf(bad, scale, floor)}"/></svg>`
}

function shapeOf(counts: readonly number[], scale: number, floor: (index: number) => number): string {
  return counts
    .map((count, index) => {
      const height = rounded(count * scale)
      return count === 0 ? '' : `M${index * STEP + 1} ${rounded(floor(index))}v-${height}h${WIDTH}v${height}z`
    })
    .join('')
}

function rounded(length: number): number {
  return Math.round(length * 10) / 10
}
