import { COMMAND } from '../../platform/installation.ts'
import type { Catalogue } from '../catalogue.ts'
import { MESSAGES } from './cli/messages/messages.ts'
import { FINDINGS } from './report/check-findings.ts'
import { AREAS } from './report/check-items.ts'
import { REPORT } from './report/report.ts'

export const CHECK: Catalogue['check'] = {
  title: 'Verificação',
  text: 'A verificação procura o que impede receber ou encaminhar callbacks. Leva alguns segundos e não altera nada. O operador faz na máquina do gateway o que ela aconselha.',
  runNow: 'Verificar agora',
  confirmClock: 'Confirmar o relógio',
  confirmClockHint: 'Só depois de comparar o relógio do gateway com um certo: retenção e vencimento continuam por ele.',
  clockConfirmed: 'O relógio está confirmado.',
  hasRun: 'A verificação foi executada.',
  none: 'Nenhuma verificação foi feita desde o início do gateway.',
  ranAt: 'Feita em',
  took: (seconds) => `levou ${seconds} s`,
  good: 'Tudo certo',
  goodWithWarnings: (count) => (count === 1 ? 'Certo, com 1 aviso' : `Certo, com ${count} avisos`),
  bad: (count) => (count === 1 ? '1 problema' : `${count} problemas`),
  levels: { problem: 'problema', warning: 'aviso', good: 'certo', accepted: 'aceito' },
  attention: 'O que precisa de atenção',
  nothing: 'Nada precisa de atenção.',
  accepted: 'Resultados aceitos',
  acceptedText: 'Estão em check.accepted da configuração e não contam.',
  passed: (count) => `O que está certo (${count})`,
  severity: 'Gravidade',
  area: 'Área',
  what: 'Item',
  found: 'Encontrado',
  nextStep: 'O que fazer',
  reason: 'Motivo',
  detail: 'Detalhe',
  areas: AREAS,
  findings: Object.fromEntries(Object.entries(FINDINGS).map(([code, { found }]) => [code, found])),
  steps: Object.fromEntries(Object.entries(FINDINGS).map(([code, { nextStep }]) => [code, nextStep])),
  report: { ...REPORT, ...MESSAGES },
  well: 'Está certo.',
  more: (count) => `Há mais ${count}. O operador vê tudo com "${COMMAND} check" na máquina do gateway.`,
}
