// The key "/" leads to the search from every page, except while a person types.

const EDITED = 'input, textarea, select, [contenteditable]'

document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return
  if (event.target instanceof Element && event.target.closest(EDITED) !== null) return
  // Only for a person who is signed in: the pages have a navigation then.
  if (document.querySelector('nav') === null) return
  event.preventDefault()
  const box = document.getElementById('search')
  if (box === null) location.assign('/ui/')
  else {
    box.focus()
    box.select()
  }
})
