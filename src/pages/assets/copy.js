// Copy buttons beside what has data-copy. Without the module, or where the browser has no clipboard for pages, there are none.

const SHOWN_MS = 3000

for (const source of navigator.clipboard === undefined ? [] : document.querySelectorAll('[data-copy]')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = source.dataset.copy
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
