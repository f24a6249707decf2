import type { Config } from '../config/config.ts'
import type { ConfigurationState } from '../domain/configuration-state.ts'

/** What the process knows about its configuration file. */
export interface UsedConfiguration {
  state(): ConfigurationState
  taken(config: Pick<Config, 'sha256'>, needRestart: readonly string[]): void
  refused(problem: string): void
}

export function createUsedConfiguration({ file, sha256 }: Pick<Config, 'file' | 'sha256'>): UsedConfiguration {
  /** `taken` and `refused` replace it. */
  let state: ConfigurationState = { file, sha256, generation: 1, needRestart: [], problem: null }
  return {
    state: () => state,
    taken({ sha256 }, needRestart) {
      state = { file, sha256, generation: state.generation + 1, needRestart, problem: null }
    },
    refused(problem) {
      state = { ...state, problem }
    },
  }
}
