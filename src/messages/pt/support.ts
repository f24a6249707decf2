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
    exhausted: (name) => `Quem cuida de ${name} precisa corrigi-lo. Depois envie o pagamento de novo.`,
    refused: (name) =>
      `O gateway tenta de novo sozinho. Quem cuida de ${name} precisa corrigir por que responde assim.`,
    unreached: (name) => `O gateway tenta de novo sozinho. Quem cuida de ${name} precisa ver por que não responde.`,
    paused: (name) => `É enviado assim que um operador retomar ${name}.`,
    stopped: (name) => `O gateway tenta de novo sozinho. Quem cuida de ${name} precisa corrigi-lo.`,
    behind: () => 'É enviado depois do evento anterior. Não há nada a fazer.',
    onItsWay: () => 'É enviado em instantes. Não há nada a fazer.',
    delivered: () => 'Não há nada a fazer.',
    canceled: () => 'Não há nada a fazer.',
  },
  nobody: 'nenhum destino pediu',
  none: 'nenhum dos seus destinos pediu',
  and: 'e',
  nextTry: 'próxima tentativa',
}
