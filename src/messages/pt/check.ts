import { COMMAND } from '../../platform/installation.ts'
import type { Catalogue } from '../catalogue.ts'

export const CHECK: Catalogue['check'] = {
  title: 'Verificação',
  text: 'A verificação procura o que impede receber ou encaminhar callbacks. Leva alguns segundos e não altera nada. Os resultados são em inglês.',
  runNow: 'Verificar agora',
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
  acceptedText: 'check.accepted da configuração os nomeia: eles não contam.',
  passed: (count) => `O que está certo (${count})`,
  severity: 'Gravidade',
  area: 'Área',
  what: 'Assunto',
  found: 'Encontrado',
  nextStep: 'O que fazer',
  reason: 'Motivo',
  more: (count) => `Há mais ${count}. O operador vê tudo com "${COMMAND} check" na máquina do gateway.`,
}
