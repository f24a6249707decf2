import type { Catalogue } from '../catalogue.ts'

export const SUPPORT: Catalogue['support'] = {
  where: {
    exhausted: (name) => `${name} não aceitou, e o gateway parou de tentar`,
    refused: (name, status) => `${name} não aceita (HTTP ${status})`,
    unreached: (name) => `${name} não responde`,
    paused: (name) => `aguarda: ${name} está em pausa`,
    stopped: (name) => `aguarda: ${name} não aceita nada no momento`,
    behind: (name) => `aguarda um evento anterior a caminho de ${name}`,
    onItsWay: (name) => `a caminho de ${name}`,
    delivered: (name) => `em ${name}`,
    canceled: (name) => `não é mais enviado a ${name}`,
  },
  next: {
    exhausted: 'Quem cuida dele precisa corrigi-lo. Depois envie o pagamento de novo.',
    refused: 'O gateway tenta de novo sozinho. Quem cuida dele precisa corrigir por que responde assim.',
    unreached: 'O gateway tenta de novo sozinho. Quem cuida dele precisa ver por que não responde.',
    paused: 'É enviado assim que um operador retomar o destino.',
    stopped: 'O gateway tenta de novo sozinho. Quem cuida dele precisa corrigi-lo.',
    behind: 'É enviado depois do evento anterior. Não há nada a fazer.',
    onItsWay: 'É enviado em instantes. Não há nada a fazer.',
    delivered: 'Não há nada a fazer.',
    canceled: 'Não há nada a fazer.',
  },
  nobody: 'nenhum destino pediu',
  none: 'nenhum dos seus destinos pediu',
  and: 'e',
  nextTry: 'próxima tentativa',
}
