// Copy buttons beside what has data-copy. Without the module, or where the browser has no clipboard for pages, there are none.

const SHOWN_MS = 3000
const SVG = 'http://www.w3.org/2000/svg'

/** Two sheets. The button has the name. */
function iconOf() {
  const icon = document.createElementNS(SVG, 'svg')
  icon.setAttribute('class', 'icon')
  icon.setAttribute('viewBox', '0 0 24 24')
  icon.setAttribute('aria-hidden', 'true')
  const path = document.createElementNS(SVG, 'path')
  path.setAttribute('d', 'M9 9h11v11H9zM6 15H4V4h11v2')
  icon.append(path)
  return icon
}

for (const source of navigator.clipboard === undefined ? [] : document.querySelectorAll('[data-copy]')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.ariaLabel = source.dataset.copy
  button.title = source.dataset.copy
  button.append(iconOf())
  const state = document.createElement('span')
  state.setAttribute('role', 'status')
  state.className = 'copied'
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(source.textContent)
      state.textContent = source.dataset.copied
      setTimeout(() => {
        state.textContent = ''
      }, SHOWN_MS)
    } catch {
      // The browser refused: the text is selected, for the keyboard.
      getSelection()?.selectAllChildren(source)
    }
  })
  if (source.localName === 'pre') source.before(button, state)
  else source.after(' ', button, state)
}
