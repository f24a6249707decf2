import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const ROOT = resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
/** Installed packages of a folder that is a package of its own are no files of ours. */
const filesIn = (folder: string, ending: RegExp) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => ending.test(file) && !file.includes('node_modules/'))
    .map((file) => join(folder, file))

const PAGES = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'certs/README.md', 'systemd/README.md', 'container/README.md'],
  ...['README.pt.md', 'systemd/README.pt.md', 'packaging/README.md', 'packaging/README.pt.md'],
  'test/bench/trials.md',
  ...filesIn('docs', /\.md$/),
  'receiver/README.md',
  ...['simulator/README.md', 'simulator/README.pt.md'],
  ...filesIn('simulator/docs', /\.md$/),
].sort()
const CODE = [
  ...filesIn('src', /\.(ts|sql)$/),
  ...filesIn('simulator/src', /\.ts$/),
  ...filesIn('receiver/src', /\.ts$/),
]
/** But this file, which has the words. */
const TESTS = [...filesIn('test', /\.ts$/), ...filesIn('simulator/test', /\.ts$/)].filter(
  (file) => file !== 'test/rules/docs.test.ts',
)
const NAMED_FOLDERS = [
  'src',
  'simulator',
  'receiver',
  'test',
  'docs',
  'config',
  'systemd',
  'packaging',
  'certs',
  'container',
]

/** Words that must be decoded, with the field's term. */
const BANNED: readonly (readonly [RegExp, string])[] = [
  [/\baskers?\b/i, 'principal, or client'],
  [/\bwaiting rooms?\b/i, 'long-poll registry'],
  [/\bheadroom\b/i, 'disk guard, or free space'],
  [/\bintake\b/i, 'callback handler'],
  [/\blaborator(y|ies)\b/i, 'test CA'],
  [/\bwhoever\b/i, 'name the subject'],
  [/\banew\b/i, 'again'],
  [/\bow(ed|es)\b/i, 'pending'],
  [/\b(is|are|was|were) told\b/i, 'gets, receives, or the verb of what it gets'],
  [/\blent\b|\blends?\b/i, 'lease'],
  [/\bstands\b/i, 'is'],
  [/\bobituar/i, 'exit report'],
  [/\blanes?\b/i, 'destination worker'],
  [/\bstrangers?\b/i, 'untrusted caller'],
  [/\bnobody\b/i, 'no user, or no caller'],
  [/\b(sparing|in vain)\b/i, 'name the effect'],
]

/** What a reader reads of a file of code: its comments, and its texts with a space in them (help, errors, descriptions). */
function proseOf(file: string): string[] {
  const text = read(file)
  const comments = [...text.matchAll(/\/\*\*?([\s\S]*?)\*\/|(?:^|\s)\/\/(.*)|^\s*-- (.*)/gm)].map((match) => match[0])
  const code = text.replace(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*/gm, '')
  const texts = [...code.matchAll(/'([^'\n]* [^'\n]*)'|"([^"\n]* [^"\n]*)"|`([^`\n]* [^`\n]*)`/g)].map(
    ([, single, double, template]) => single ?? double ?? template ?? '',
  )
  return [...comments, ...texts]
}

/** Names in backticks and of options are quoted as they are; what is inserted into a text is code. */
function bannedIn(texts: readonly string[]): string[] {
  return texts
    .map((text) => text.replace(/`[^`]*`|\$\{[^}]*\}|(?<![\w-])--[a-z-]+/g, ''))
    .flatMap((text) =>
      BANNED.flatMap(([word, instead]) => {
        const found = word.exec(text)
        return found === null ? [] : [`"${found[0]}" (${instead}): ${text.trim()}`]
      }),
    )
}

it.each(PAGES)('%s has no word that must be decoded', (page) => {
  expect(bannedIn(read(page).split('\n'))).toEqual([])
})

it('comments, help, error texts and tests have no word that must be decoded', () => {
  expect([...CODE, ...TESTS].flatMap((file) => bannedIn(proseOf(file)).map((found) => `${file}: ${found}`))).toEqual([])
})

it.each(PAGES)('%s leads to files that are there', (page) => {
  const links = [...read(page).matchAll(/\]\((?!https?:)([^)#\s]+)/g)].map(([, link = '']) => link)
  const missing = links.filter((link) => !existsSync(join(ROOT, dirname(page), link)))
  expect(missing).toEqual([])
})

it.each(PAGES)('%s leads to headings that are there', (page) => {
  const links = [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)\s]+)\)/g)]
  const missing = links.filter(([, file = '', heading]) => {
    const target = file === '' ? page : relative(ROOT, resolve(ROOT, dirname(page), file))
    return !headingsOf(target).includes(heading as string)
  })
  expect(missing.map(([link]) => link)).toEqual([])
})

it('every sample with Express reads the raw body in one way, which takes each content type and large bodies', () => {
  const texts = [...PAGES, ...filesIn('docs/examples', /\.m?js$/)].map((file) => [file, read(file)])
  const samples = [...texts, ...CODE.map((file) => [file, proseOf(file).join('\n')])]
  const lines = samples.flatMap(([file, text = '']) =>
    [...text.matchAll(/express\.raw\(.*/g)].map(([found]) => `${file}: ${found}`),
  )
  expect(lines.length).toBeGreaterThan(2)
  expect(lines.filter((line) => !line.includes("express.raw({ type: () => true, limit: '16mb' })"))).toEqual([])
})

it('nobody is told to type a name that npx would fetch from a registry', () => {
  const files = [
    ...PAGES,
    ...CODE,
    ...filesIn('docs/examples', /./),
    ...filesIn('systemd', /./),
    ...filesIn('config', /\.yaml$/),
  ]
  const told = (text: string) => [...text.matchAll(/(?<![\w-])npx (?!--no -- |\.\/)[\w@./-]+/g)].map(([line]) => line)
  expect(files.flatMap((file) => told(read(file)).map((line) => `${file}: ${line}`))).toEqual([])
  expect(told('`npx portaria serve`, npx --no portaria, npx --no -- portaria, npx ./portaria-1.0.0.tgz')).toEqual([
    'npx portaria',
    'npx --no',
  ])
})

/** As GitHub names them. */
function headingsOf(page: string): string[] {
  const titles = [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title)
  return titles.map((title) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  )
}

it.each(PAGES)('%s has no line of text above 160 characters', (page) => {
  const lines = read(page)
    .replace(/^```[\s\S]*?^```/gm, '')
    .split('\n')
  expect(lines.filter((line) => line.length > 160 && !line.startsWith('|'))).toEqual([])
})

/** Nobody reads these from the beginning to the end: tables and lists of codes that the source or a test has, too, and the changes of a version. */
const REFERENCES = [
  ...['docs/codes.md', 'docs/pt/codes.md', 'simulator/docs/rules.md', 'simulator/docs/service-errors.md'],
  'simulator/docs/control-operations.md',
  'CHANGELOG.md',
]
const MOST_WORDS = 1500

it.each(PAGES.filter((page) => !REFERENCES.includes(page)))('%s has at most 1,500 words', (page) => {
  const words = (text: string) => text.split(/\s+/).filter((word) => word !== '').length
  const [, ...chapters] = read(page).split(/^## /m)
  const sizes = chapters.map((chapter) => `${words(chapter)} ${chapter.split('\n')[0]}`)
  const advice = `${page} answers more than one task of its reader. Cut what another page says, too. Or move the chapters of one task to a page of \
their own beside it, leave one line with a link behind its first lines, do the same to its translation in docs/pt and in TRANSLATED here, and mend what \
"npm run rules" names. Words of its chapters: ${sizes.join(', ')}`
  expect(words(read(page)), advice).toBeLessThanOrEqual(MOST_WORDS)
})

it('the README stays a page, and the architecture too', () => {
  expect(read('README.md').split('\n').length).toBeLessThanOrEqual(150)
  expect(read('docs/architecture.md').split('\n').length).toBeLessThanOrEqual(130)
})

it('the architecture names every room of the source, and no other', () => {
  const rooms = readdirSync(join(ROOT, 'src'), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const [, list = ''] = read('docs/architecture.md').split(/^## /m)
  const named = [...list.matchAll(/`src\/([a-z]+)\/`/g)].map(([, room]) => room)
  expect(named.sort()).toEqual(rooms.map(({ name }) => name).sort())
})

it('the first screen of the README says for whom it is, what it does beside the usual way, and how it starts', () => {
  const screen = read('README.md').split('\n').slice(0, 45)
  const text = screen.join('\n')
  expect(text).toMatch(/^# Portaria\n\n\[Português\]\(README\.pt\.md\)\n\nPortaria is for integrators /)
  expect(text).toContain('](docs/images/portaria.svg)')
  const [, , ...rows] = screen.filter((line) => line.startsWith('|')).map((line) => line.split('|').slice(1, -1))
  expect(rows.map((row) => row.length)).toEqual(Array(6).fill(3))
  expect(rows.flat().filter((cell) => cell.trim() === '')).toEqual([])
  expect(text).toMatch(/^## Start\n\n```sh\nnpm ci && npm start .*\nnpm ci && npm test .*\n```$/m)
  expect(text).toMatch(/Node 18 or newer/)
})

it('the drawing of the README follows the colours of the reader, and loads nothing', () => {
  const drawing = read('docs/images/portaria.svg')
  expect(drawing).toMatch(/<style>[^<]*@media \(prefers-color-scheme: dark\) \{[^<]*<\/style>/)
  expect(drawing).toMatch(/<title id="title">.+<\/title>/)
  expect(drawing).not.toMatch(/<(script|image|foreignObject)|href=|url\(/)
})

it('each decision is listed, and says context, decision and consequences', () => {
  const pages = filesIn('docs/decisions', /^\d\d-.*\.md$/).sort()
  const list = read('docs/decisions/README.md')
  for (const page of pages) {
    expect(list).toContain(`(${relative('docs/decisions', page)})`)
    const parts = [...read(page).matchAll(/^## (.+)$/gm)].map(([, title]) => title)
    expect(parts, page).toEqual(['Context', 'Decision', 'Consequences'])
  }
  expect(pages.length).toBeGreaterThan(10)
})

/** Written by `portaria init`. */
const MADE = ['NEXT-STEPS.md']

it('pages and the configuration name no page that is not there', () => {
  const known = [...PAGES, ...MADE]
  const isThere = (name: string) => known.some((page) => `/${page}`.endsWith(`/${name}`))
  const files = [...PAGES, ...filesIn('config', /\.yaml$/)]
  const missing = files.flatMap((file) =>
    [...read(file).matchAll(/(?<![\w.*/[\]-])(?:[\w-]+\/)*[\w-]+\.md\b(?!\[)/g)]
      .filter(([name]) => !isThere(name))
      .map(([name]) => `${file}: ${name}`),
  )
  expect(missing).toEqual([])
})

const NAMEABLE = NAMED_FOLDERS.flatMap((folder) => filesIn(folder, /\.\w+$/))

/** A page names a file with as many of its folders as are clear there. */
it.each(PAGES)('%s names only files that are there', (page) => {
  const named = [...read(page).matchAll(/`([\w./-]+\.(?:ts|sql)|(?:test|docs|config)\/[\w./-]+\.\w+)`/g)]
  const missing = named.filter(([, file]) => !NAMEABLE.some((known) => `/${known}`.endsWith(`/${file}`)))
  expect(missing.map(([, file]) => file)).toEqual([])
})

const TRANSLATED = [
  ...['app-developers', 'certificates', 'checks-and-alarms', 'codes', 'connections', 'first-forward'],
  ...['forwarding', 'glossary', 'integrators', 'laptop', 'log', 'migration'],
  ...['operations', 'pages', 'people', 'private-authority', 'search', 'service'],
  ...['several-nodes', 'tour', 'troubleshooting'],
]

/** Documents in both languages. Whatever changes in one changes in the other. */
const PAIRS = [
  ['README.md', 'README.pt.md'],
  ['systemd/README.md', 'systemd/README.pt.md'],
  ['packaging/README.md', 'packaging/README.pt.md'],
  ...['README', 'docs/start', 'docs/conformance'].map(
    (name) => [`simulator/${name}.md`, `simulator/${name}.pt.md`] as const,
  ),
  ...TRANSLATED.map((name) => [`docs/${name}.md`, `docs/pt/${name}.md`] as const),
] as const

it('every page in Portuguese is the translation of a page', () => {
  const translations = PAGES.filter((page) => page.startsWith('docs/pt/') || page.endsWith('.pt.md'))
  expect(PAIRS.map(([, page]) => page).sort()).toEqual(translations)
})

describe.each(PAIRS)('%s and %s', (english, portuguese) => {
  const advice = `${portuguese} differs from ${english}: make the change in both languages`

  it('lead to each other in their first lines', () => {
    const first = (page: string) => read(page).split('\n')[2]
    expect(first(english)).toBe(`[Português](${relative(dirname(english), portuguese)})`)
    expect(first(portuguese)).toBe(`[English](${relative(dirname(portuguese), english)})`)
  })

  it('have the same headings, lists, tables and blocks of code in the same order', () => {
    expect(outlineOf(portuguese), advice).toEqual(outlineOf(english))
  })

  it('have the same links, to the same language where there is a page', () => {
    expect(linksOf(portuguese).sort(), advice).toEqual(linksOf(english).map(inPortuguese).sort())
  })

  it('have the same names, keys and commands within their texts', () => {
    expect(namesOf(portuguese), advice).toEqual(namesOf(english))
  })
})

/**
 * Levels of headings, items, rows with the number of their cells, and code without what is translated in it: comments, reasons of people, and labels
 * of drawings.
 */
function outlineOf(page: string): string[] {
  const parts = read(page).match(/^ *```[\s\S]*?^ *```|^#+ |^\s*- |^\|.*$/gm) ?? []
  return parts.map((part) => {
    if (part.startsWith('|')) return `row of ${part.split('|').length - 2}`
    if (part.startsWith('```mermaid')) return part.replaceAll(/\[[^\]]*\]|-- .* -->/g, '')
    return part.replaceAll(/(^|\s+)#\s.*$|(?<=reason: )".*"/gm, part.trimStart().startsWith('```') ? '' : '$&')
  })
}

/** From the root, but for those between the two languages. */
function linksOf(page: string): string[] {
  const links = [...read(page).matchAll(/(?<!\[(?:Português|English))\]\(([^)#\s]*)(#[^)\s]+)?\)/g)]
  return links.map(([, file = '', anchor = '']) => {
    if (file.includes(':')) return `${file}${anchor}`
    return `${file === '' ? page : join(dirname(page), file)}${anchor}`
  })
}

function inPortuguese(link: string): string {
  const [file = '', anchor] = link.split('#', 2)
  const [, translation] = PAIRS.find(([page]) => page === file) ?? []
  if (translation === undefined) return link
  if (anchor === undefined) return translation
  return `${translation}#${headingsOf(translation)[headingsOf(file).indexOf(anchor)]}`
}

function namesOf(page: string): string[] {
  const text = read(page).replaceAll(/^```[\s\S]*?^```/gm, '')
  return [...new Set([...text.matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name))].sort()
}
