import { COMMAND } from '../../platform/installation.ts'
import type { Catalogue } from '../catalogue.ts'
import { FAILURES } from './alarm-failures.ts'

export const ALARMS: Catalogue['alarms'] = {
  problems: (count) => (count === 1 ? '1 problema' : `${count} problemas`),
  warnings: (count) => (count === 1 ? '1 aviso' : `${count} avisos`),
  over: (count) => (count === 1 ? '1 encerrado' : `${count} encerrados`),
  goingOn: (count) => `${count} ainda em aberto`,
  labels: { problem: 'PROBLEMA', warning: 'AVISO', over: 'ENCERRADO', goingOn: 'AINDA EM ABERTO' },
  since: (time) => `Desde ${time}`,
  lasted: (from, to) => `De ${from} a ${to}`,
  nextStep: (text) => `Próximo passo: ${text}`,
  waiting: ({ payments, others, isMore }, amount) => {
    const parts = [
      ...(payments === 0 ? [] : [`${payments} ${payments === 1 ? 'pagamento' : 'pagamentos'}, ${amount} no total`]),
      ...(others === 0 ? [] : [`${others} sem valor`]),
    ]
    return `Em espera${isMore ? ', os mais novos de um número maior' : ''}: ${parts.join('; ')}`
  },
  oldest: (text, then) => `O mais antigo: ${text}. ${then}`,
  lastAnswer: (answer, time) => `Última resposta do receptor: ${answer} (${time})`,
  page: (address) => `Página: ${address}`,
  howToMute: (address) =>
    `Para silenciar um alarme até um horário: ${address ?? 'a página /ui/alarms'}, ou o comando ${COMMAND} alarms mute com o código entre colchetes`,
  more: (count) => `e mais ${count} com o mesmo motivo`,
  quietEnd: 'O horário de silêncio acabou. Isto está em aberto.',
  test: 'Teste',
  testText: 'Este é um teste dos alarmes. Nada aconteceu.',
  failures: FAILURES,
  notices: {
    certificate_warning: {
      text: 'o certificado {subject} vai vencer; dias restantes: {count}',
      nextStep: 'renove-o a tempo: a página dos certificados mostra todos',
    },
    certificate_loses_client_use: {
      text: 'o certificado {subject} não serve, ou não servirá, para clientes TLS: {detail}',
      nextStep: 'peça à autoridade dele um certificado com o uso estendido clientAuth',
    },
    subjects_silent: {
      text: 'pagamentos ou cobranças esperados de {subject} sem nenhum evento por mais tempo que o normal: {count}',
      nextStep: 'veja quais na página das lacunas; o serviço é consultado se a seção service prevê isso',
    },
  },
}
