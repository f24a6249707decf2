// Keys: "/" leads to the search from every page, except while a person types; Escape folds what is open around the focus.

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

document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape' || event.isComposing || !(event.target instanceof Element)) return
  // The first press empties a search box.
  if (event.target.matches('[type=search]') && event.target.value !== '') return
  const isInMenu = event.target.closest('nav.pages') !== null
  const open = isInMenu ? document.querySelector('details.fold[open]') : event.target.closest('details[open]')
  if (open === null) return
  open.open = false
  open.querySelector('summary').focus()
})
