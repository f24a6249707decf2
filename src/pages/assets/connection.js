// Asks whether the gateway answers before a link is followed or a form is sent. Otherwise the browser would replace the page, and the text
// that was typed, by an error page of its own.

const LIMIT_MS = 10_000
const notice = document.getElementById('unreachable')
let isAsking = false
let isChecked = false

async function isReachable() {
  isAsking = true
  try {
    await fetch(import.meta.url, { method: 'HEAD', cache: 'no-store', signal: AbortSignal.timeout(LIMIT_MS) })
    notice.textContent = ''
    return true
  } catch {
    // Emptied first, so that a screen reader reads it again.
    notice.textContent = ''
    requestAnimationFrame(() => {
      notice.textContent = notice.dataset.text
      notice.scrollIntoView({ block: 'nearest' })
    })
    return false
  } finally {
    isAsking = false
  }
}

function leadsAway(link, event) {
  const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
  const isOwn = link.origin === location.origin && link.target === '' && !link.hasAttribute('download')
  const isInside = link.hash !== '' && link.pathname === location.pathname && link.search === location.search
  return isPlain && isOwn && !isInside
}

addEventListener('click', async (event) => {
  const link = event.target instanceof Element ? event.target.closest('a[href]') : null
  if (link === null || event.defaultPrevented || !leadsAway(link, event)) return
  event.preventDefault()
  if (!isAsking && (await isReachable())) location.assign(link.href)
})

addEventListener('submit', async (event) => {
  if (event.defaultPrevented || isChecked) return
  event.preventDefault()
  // A second click while the first one is under way must not send the form twice.
  if (isAsking || !(await isReachable())) return
  isChecked = true
  event.target.requestSubmit(event.submitter)
  isChecked = false
})
