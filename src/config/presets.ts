import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { programFile } from '../platform/program-files.ts'
import { similarWord } from '../platform/suggestion.ts'
import { at } from './section-checks.ts'

/** What is known of an institution: config/institutions/NAME.yaml. */
export const PRESETS = ['instant-payment', 'open-finance', 'service'] as const
export type PresetName = (typeof PRESETS)[number]

interface Preset {
  readonly about: {
    readonly what: string
    readonly sources: readonly string[]
    /** The day on which the sources were read. */
    readonly read: string
    /** Where its chain is to be had: none is shipped. */
    readonly chain: string
  }
  /** As an entry of `institutions`, with paths that follow the name of the institution. */
  readonly institution: { readonly kinds: Readonly<Record<string, { readonly path: string }>> }
}

export function readPreset(name: PresetName): Preset {
  return parse(readFileSync(programFile(`config/institutions/${name}.yaml`), 'utf8')) as Preset
}

/** The configuration as written, with the keys that its institutions leave out taken from their presets. */
export function withPresets(written: unknown): unknown {
  const institutions = at(written, 'institutions')
  return Array.isArray(institutions) ? { ...Object(written), institutions: institutions.map(withPreset) } : written
}

function withPreset(entry: unknown): unknown {
  // With a misspelt name, only the name is a mistake.
  const preset = similarWord(String(at(entry, 'preset') ?? ''), PRESETS)
  if (preset === null) return entry
  const { kinds, ...others } = readPreset(preset as PresetName).institution
  const ofInstitution = Object.entries(kinds).map(([name, kind]) => {
    return [name, { ...kind, path: `/${String(at(entry, 'name'))}${kind.path}` }]
  })
  return merged({ ...others, kinds: Object.fromEntries(ofInstitution) }, entry)
}

/** Groups of keys are merged; any other value, lists too, replaces the preset's. */
function merged(preset: unknown, written: unknown): unknown {
  if (!isGroup(preset) || !isGroup(written)) return written
  const both = Object.entries(written).map(([key, value]) => [key, merged(at(preset, key), value)])
  return { ...preset, ...Object.fromEntries(both) }
}

function isGroup(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
