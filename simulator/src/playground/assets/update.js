// Changes only what differs, so that the keyboard's place, the selected text and what a screen reader reads stay where they are.
// As `src/pages/assets/update.js`: the simulator shares no code with the gateway.

/** Makes the children of an element what those of another one are. */
export function updateChildren(shown, wanted) {
  const focused = document.activeElement
  wanted.normalize()
  updateNodes(shown, wanted)
  // An element that changes its place among the others loses the focus.
  if (focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true })
}

function updateNodes(shown, wanted) {
  const left = [...shown.childNodes]
  const kept = [...wanted.childNodes].map((one) => {
    const at = left.findIndex((other) => other.nodeName === one.nodeName && keyOf(other) === keyOf(one))
    if (at < 0) return one
    const [same] = left.splice(at, 1)
    update(same, one)
    return same
  })
  for (const one of left) one.remove()
  for (const [index, one] of kept.entries()) {
    const there = shown.childNodes[index] ?? null
    if (there !== one) shown.insertBefore(one, there)
  }
}

/** What it is about, so that a row keeps its element where others come before it: the name in a row of a table. */
function keyOf(node) {
  return node.dataset?.key ?? node.cells?.[0]?.textContent
}

function update(shown, wanted) {
  if (shown.nodeType === Node.TEXT_NODE) return updateText(shown, wanted.data)
  for (const name of shown.getAttributeNames()) if (!wanted.hasAttribute(name)) shown.removeAttribute(name)
  for (const { name, value } of wanted.attributes)
    if (shown.getAttribute(name) !== value) shown.setAttribute(name, value)
  updateNodes(shown, wanted)
}

/** Without the beginning and the end that stay: a selection there stays, too. */
function updateText(shown, text) {
  const before = shown.data
  const most = Math.min(before.length, text.length)
  let begin = 0
  while (begin < most && before[begin] === text[begin]) begin++
  let end = 0
  while (end < most - begin && before.at(-1 - end) === text.at(-1 - end)) end++
  if (begin + end < Math.max(before.length, text.length))
    shown.replaceData(begin, before.length - begin - end, text.slice(begin, text.length - end))
}
