import type { Page } from 'playwright-core'

/**
 * What a person would see at once on a page as it is shown now: what is wider than its place, words that are broken after few letters, and links and
 * buttons that are too small to hit: below 24 by 24 px (WCAG 2.2, 2.5.8). Its exception "inline" is for a link in a sentence, and for one whose height
 * the line of other text gives. A download has no exception, and on a telephone only sentences have it: in lists, tables and facts a finger needs the room.
 */
export function appearanceFindings(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(${FIND})()`)
}

/** In the page. A payload, and code in a sentence, may break anywhere. */
const FIND = String.raw`() => {
  const findings = []
  const about = (element) => element.localName + '.' + element.className + ' ' + element.textContent.trim().slice(0, 40)
  const isShown = (element) => element.checkVisibility() && element.closest('.visually-hidden, .skip') === null
  const root = document.documentElement
  if (root.scrollWidth > root.clientWidth) findings.push('the page is wider than the screen: ' + root.scrollWidth)
  for (const element of document.querySelectorAll('body *')) {
    if (!isShown(element) || element.matches('input, select, option, textarea, progress')) continue
    const { overflowX } = getComputedStyle(element)
    const mayScroll = overflowX === 'auto' || overflowX === 'scroll'
    if (mayScroll && element.scrollWidth > element.clientWidth) findings.push('scrolls sideways: ' + about(element))
  }
  const range = document.createRange()
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const text = texts.currentNode
    const parent = text.parentElement
    if (!isShown(parent) || parent.closest('pre, code, svg, option') !== null) continue
    for (const { 0: word, index } of text.data.matchAll(/\S{4,}/g)) {
      range.setStart(text, index)
      range.setEnd(text, index + word.length)
      if (range.getClientRects().length < 2) continue
      const lines = new Map()
      for (let at = index; at < index + word.length; at++) {
        range.setStart(text, at)
        range.setEnd(text, at + 1)
        const top = Math.round(range.getBoundingClientRect().top)
        lines.set(top, (lines.get(top) ?? '') + text.data[at])
      }
      // The last line may have what is left of a word. After a hyphen, or between the parts of an address, it may break anywhere.
      const parts = [...lines.values()]
      const isBroken = (part, next) => part.length < 8 && /[\p{L}\p{N}]$/u.test(part) && /^[\p{L}\p{N}]/u.test(next)
      if (parts.slice(0, -1).some((part, at) => isBroken(part, parts[at + 1])))
        findings.push('broken: ' + word.slice(0, 40) + ' in ' + about(parent))
    }
  }
  const isTelephone = matchMedia('(max-width: 40rem)').matches
  for (const element of document.querySelectorAll('a[href], button, input:not([type=hidden]), select, summary, textarea')) {
    if (!isShown(element)) continue
    const sentence = element.closest(isTelephone ? 'p' : 'p, li, dd, td, th, div, span')
    const isInSentence = element.matches('a:not([download])') && sentence !== null && sentence.textContent.trim() !== element.textContent.trim()
    const { width, height } = element.getBoundingClientRect()
    if (!isInSentence && width > 0 && Math.min(width, height) < 24) findings.push('too small: ' + about(element) + ' ' + width + ' x ' + height)
  }
  return findings
}`
