import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { TAKES_NOTHING_S } from '../../src/domain/overview/destination-judgement.ts'
import { everyCommand, nameOf } from '../cli/every-command.ts'
import { callApi } from '../support/calls.ts'
import { hasPromtool } from '../support/metrics.ts'
import { startMonitoredGateway } from '../support/monitored-gateway.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { until } from '../support/until.ts'

const FOLDER = resolve(import.meta.dirname, '../../docs/monitoring')
const read = (file: string) => readFileSync(join(FOLDER, file), 'utf8')

/** `refusals list|show` are two commands. */
function eachOf(line: string): string[] {
  const [, group = '', verbs = '', rest = ''] = /^([a-z]+ )([a-z]+(?:\|[a-z]+)+)(.*)$/.exec(line) ?? []
  return verbs === '' ? [line] : verbs.split('|').map((verb) => `${group}${verb}${rest}`)
}

interface Rule {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: { readonly severity: string }
  readonly annotations: { readonly summary: string; readonly description: string }
}

const rules = (parse(read('alerts.yml')) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules)

interface Family {
  readonly name: string
  readonly type: string
  readonly help: string
  /** Labels of each of its series. */
  readonly series: readonly Record<string, string>[]
}

function familiesOf(text: string): Family[] {
  return text
    .trim()
    .split('\n\n')
    .map((block) => {
      const [help = '', type = '', ...samples] = block.split('\n')
      const [, , name = '', ...words] = help.split(' ')
      return { name, type: type.split(' ')[3] ?? '', help: words.join(' '), series: samples.map(labelsOf) }
    })
}

function labelsOf(sample: string): Record<string, string> {
  const pairs = [...sample.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, label, value]) => [label, value])
  return Object.fromEntries(pairs.filter(([label]) => label !== 'le'))
}

async function everyFamily(): Promise<Family[]> {
  const gateway = await startMonitoredGateway()
  return until(
    async () => familiesOf((await callApi(gateway.api, '/metrics')).body),
    (all) => all.every(({ series }) => series.length > 0),
  )
}

let asked: Promise<Family[]> | undefined
let families: readonly Family[]
beforeEach(async () => {
  asked ??= everyFamily()
  families = await asked
})

/** What a selector asks for: `name{label="value"}`, of our metrics and of the process. */
function selectorsOf(expr: string) {
  return [...expr.matchAll(/\b((?:portaria|process|nodejs)_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, name = '', matchers = '']) => ({
      name: name.replace(/_(bucket|sum|count)$/, ''),
      matchers: [...matchers.matchAll(/(\w+)(=~|=)"([^"]*)"/g)]
        .map(([, label = '', , values = '']) => ({ label, values: values.split('|') }))
        .filter(({ label }) => label !== 'job'),
    }),
  )
}

/** That each metric of an expression is there, and has the labels with these values. */
function expectKnown(where: string, expr: string): void {
  for (const { name, matchers } of selectorsOf(expr)) {
    const family = families.find((one) => one.name === name)
    expect([where, name, family?.name]).toEqual([where, name, name])
    for (const { label, values } of matchers)
      for (const value of values)
        expect(
          family?.series.map((labels) => labels[label]),
          where,
        ).toContain(value)
  }
}

describe('the alerts', () => {
  it('ask only for metrics and labels that there are', () => {
    for (const { alert, expr } of rules) {
      if (!expr.includes('up{')) expect(selectorsOf(expr), alert).not.toEqual([])
      expectKnown(alert, expr)
    }
  })

  it('say what happened, how urgent it is, and what to do', () => {
    for (const { alert, labels, annotations } of rules) {
      expect(['info', 'warning', 'critical'], alert).toContain(labels.severity)
      expect([annotations.summary.length > 10, annotations.description.length > 80], alert).toEqual([true, true])
    }
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length)
  })

  it('name only commands and options that there are, and so do the pages for operators', async () => {
    const commands = await everyCommand()
    const known = new Map(commands.map((command) => [nameOf(command), command.helpInformation()]))
    const texts = [
      ...rules.map(({ annotations }) => annotations.description),
      read('README.md'),
      ...[
        'evidence',
        'tour',
        'integrators',
        'forwarding',
        'app-developers',
        'apps-for-the-service',
        'operations',
        'checks-and-alarms',
        'connections',
        'troubleshooting',
        'storage',
        'retention',
        'certificates',
        'private-authority',
      ].map((page) => read(`../${page}.md`)),
      ...['README.md', 'systemd/README.md', 'certs/README.md', 'container/README.md'].map((page) =>
        read(`../../${page}`),
      ),
    ]
    const named = texts.flatMap((text) =>
      [...text.matchAll(/(?:`|^ *(?:# )?)(?:bin\/)?portaria (?:--config FILE )?([^`\n]+)/gm)].flatMap(([, line = '']) =>
        eachOf(line),
      ),
    )
    expect(named.length).toBeGreaterThan(10)
    for (const line of named) {
      const group = [...known].filter(([name]) => `${line} `.startsWith(`${name} `) || name.startsWith(`${line} `))
      expect(group.length, line).toBeGreaterThan(0)
      // Operations and their options come from the running simulator.
      if (line.startsWith('simulator ctl ')) continue
      for (const [option] of line.matchAll(/--[a-z][a-z0-9-]*/g)) expect(`${group[0]?.[1]}`, line).toMatch(`${option} `)
    }
  })

  it.skipIf(!hasPromtool)('are rules that Prometheus takes, and fire when they should', () => {
    for (const args of [
      ['check', 'rules', 'alerts.yml'],
      ['test', 'rules', 'alerts.test.yml'],
    ]) {
      const { status, stdout, stderr } = spawnSync('promtool', args, { cwd: FOLDER, encoding: 'utf8' })
      expect([status, stderr], stdout).toEqual([0, ''])
    }
  })
})

interface Panel {
  readonly id: number
  readonly title: string
  readonly description: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[]
}

describe('the dashboard', () => {
  const { panels } = JSON.parse(read('dashboard.json')) as { readonly panels: readonly Panel[] }

  it('asks only for metrics that there are, and groups by and shows labels that they have', () => {
    for (const { title, targets } of panels)
      for (const { expr, legendFormat } of targets) {
        const selectors = selectorsOf(expr)
        expect(selectors, title).not.toEqual([])
        expectKnown(title, expr)
        const labels = families.find(({ name }) => name === selectors[0]?.name)?.series.flatMap(Object.keys)
        const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) => names.split(', '))
        const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name)
        expect([...(labels ?? []), 'le'], title).toEqual(expect.arrayContaining(grouped))
        expect(grouped, title).toEqual(expect.arrayContaining(shown))
      }
  })

  it('has panels that say what they show, beside each other within the 24 columns of a page', () => {
    const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
    )
    expect(new Set(cells).size).toBe(cells.length)
    expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([])
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
    expect(panels.filter(({ description }) => description.length < 5)).toEqual([])
  })

  it.skipIf(!hasPromtool)('has expressions that Prometheus takes', () => {
    const exprs = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m')))
    const file = join(temporaryFolder(), 'rules.yml')
    const rules = exprs.map((expr, index) => ({ record: `panel:${index}`, expr }))
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'dashboard', rules }] }))
    expect(spawnSync('promtool', ['check', 'rules', file], { encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    })
  })
})

/** However an editor aligns the columns of the table. */
function cellsOf(line: string): string[] {
  const cells = line.trim().split('|').slice(1, -1)
  return cells.map((cell) => cell.trim())
}

it('the table of metrics has each of ours, as it is', () => {
  const ours = families.filter(({ name }) => !/^(process|nodejs)_/.test(name))
  const rows = ours.map(({ name, type, help, series }) => {
    const labels = Object.keys(series[0] ?? {}).map((label) => `\`${label}\``)
    return [`\`${name}\``, [type, ...labels].join(', '), help]
  })
  const table = read('metrics.md')
    .split('\n')
    .filter((line) => /^\s*\|\s*`\w+`\s*\|\s*(counter|gauge|histogram)\b/.test(line))
    .map(cellsOf)
  expect(table).toEqual(rows)
})

it('the alert for a destination that takes nothing is as old and as severe as the problem of overview and check', () => {
  const rule = rules.find(({ alert }) => alert === 'PortariaCircuitOpen')
  expect([rule?.for, rule?.labels.severity]).toEqual([`${TAKES_NOTHING_S / 60}m`, 'critical'])
  const few = rules.find(({ alert }) => alert === 'PortariaDestinationTakesNothing')
  expect([few?.for, few?.labels.severity]).toEqual([undefined, 'critical'])
  for (const alert of ['PortariaBacklogOld', 'PortariaDestinationTakesNothing'])
    expect(rules.find((one) => one.alert === alert)?.expr).toContain(`> ${TAKES_NOTHING_S} `)
})
