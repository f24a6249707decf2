// The value of a chart under the pointer, and where the arrow keys lead, as a text below it.

const KEYS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }

/**
 * @param chart the element that is pointed at, and that gets the focus
 * @param output where the text is written
 * @param count number of values now
 * @param indexAt the value at a place of the window, in pixels from its left edge
 * @param show marks a value in the chart; null: none
 */
export function showValues(chart, output, { count, indexAt, textOf, show = () => undefined }) {
  let at = null

  function choose(index) {
    at = index === null ? null : Math.min(Math.max(index, 0), count() - 1)
    output.textContent = at === null || at < 0 ? '' : textOf(at)
    show(at)
  }

  chart.tabIndex = 0
  chart.addEventListener('pointermove', ({ clientX }) => choose(indexAt(clientX)))
  chart.addEventListener('pointerleave', () => choose(null))
  chart.addEventListener('blur', () => choose(null))
  chart.addEventListener('keydown', (event) => {
    const step = KEYS[event.key]
    if (step === undefined) return
    event.preventDefault()
    choose((at ?? (step > 0 ? -1 : count())) + step)
  })
}
