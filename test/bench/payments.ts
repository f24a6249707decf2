import { createHash } from 'node:crypto'

const NAMES = words(
  'José Maria João Ana Antônio Francisco Carlos Paulo Pedro Lucas Luís Marcos Luiz Gabriel Rafael Francisca Daniel Marcelo Bruno Eduardo Felipe Márcia Adriana Juliana Fernanda Patrícia Aline Sandra Camila Amanda Bruna Jéssica Letícia Júlia Luciana Vanessa Mariana Gabriela Vera Vitória Larissa Cláudia Beatriz Rita Luana Sônia Renata Eliane Simone Natália',
)
const SURNAMES = words(
  'Silva Santos Oliveira Souza Rodrigues Ferreira Alves Pereira Lima Gomes Costa Ribeiro Martins Carvalho Almeida Lopes Soares Fernandes Vieira Barbosa Rocha Dias Nascimento Andrade Moreira Nunes Marques Machado Mendes Freitas Cardoso Ramos Gonçalves Santana Teixeira Araújo Pinto Moura Correia Cavalcanti Duarte Monteiro Batista Campos Miranda Farias Guimarães Peixoto Xavier Queiroz',
)
const BANKS = words('09089356 00000000 60701190 60746948 90400888 00360305 18236120 10573521 31872495 22896431')
const STATUSES = words(
  'LIQUIDADO LIQUIDADO LIQUIDADO LIQUIDADO LIQUIDADO LIQUIDADO LIQUIDADO EXECUTADO EXPIRADO NAO_REALIZADO',
)
const DAY_MS = 86_400_000

/** Values of the nth payment: always the same for a number. */
export interface Payment {
  readonly id: string
  readonly txid: string
  readonly endToEndId: string
  readonly document: string
  readonly name: string
  readonly surname: string
  readonly email: string
  readonly amount: string
  readonly status: string
  readonly at: Date
}

function words(text: string): readonly string[] {
  return text.split(' ')
}

/** Payments of the 90 days that end at a fixed time, spread evenly: some 11,000 a day with a million. */
export function paymentOf(n: number, of = 1_000_000): Payment {
  const random = createHash('sha256').update(`payment ${n}`).digest()
  const pick = (list: readonly string[], at: number) => list[random.readUInt16LE(at) % list.length] as string
  const at = new Date(Date.UTC(2026, 10, 20) - Math.floor((1 - n / of) * 90 * DAY_MS))
  const [name, middle, surname] = [pick(NAMES, 0), pick(SURNAMES, 2), pick(SURNAMES, 4)]
  const minute = at.toISOString().replace(/\D/g, '').slice(0, 12)
  const digits = String(random.readBigUInt64LE(6) % 100_000_000_000n).padStart(11, '0')
  return {
    id: `${random.toString('hex', 8, 12)}-${random.toString('hex', 12, 14)}-4${random.toString('hex', 14, 16).slice(1)}-${random.toString('hex', 16, 18)}-${random.toString('hex', 18, 24)}`,
    txid: createHash('md5').update(random).digest('hex'),
    endToEndId: `E${pick(BANKS, 24)}${minute}${random.toString('base64url', 26, 32).replace(/[-_]/g, 'x').padEnd(11, '0')}`,
    document: digits.replace(/(...)(...)(...)(..)/, '$1.$2.$3-$4'),
    name,
    surname: `${middle} ${surname}`,
    email: `${plain(name)}.${plain(surname)}${random.readUInt16LE(28) % 10_000}@example.com`,
    amount: `${random.readUInt16LE(30) % 3 === 0 ? '150.10' : (random.readUInt32LE(24) % 500_000) / 100}`,
    status: pick(STATUSES, 22),
    at,
  }
}

function plain(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\P{ASCII}/gu, '')
    .toLowerCase()
}

/** The body of a notification of about 1 KB, with as many values as the service sends. */
export function paymentBody(payment: Payment): Buffer {
  const { id, txid, endToEndId, document, name, surname, email, amount, status, at } = payment
  const stamp = at.toISOString().replace('T', ' ').slice(0, 19)
  const known = {
    identificador: id,
    endToEndId,
    txid,
    idProprio: `pedido-${id.slice(0, 8)}`,
    chave: email,
    valor: 0,
    status: { anterior: 'EM_PROCESSAMENTO', atual: status },
    horario: { solicitacao: stamp, liquidacao: stamp },
    pagador: {
      nome: `${name} ${surname}`,
      documento: document,
      conta: { agencia: '0001', numero: `${id.slice(4, 8)}-7`, tipo: 'conta_corrente' },
    },
    favorecido: {
      nome: 'Loja Exemplo Ltda',
      documento: '12.345.678/0001-90',
      conta: { agencia: '0001', numero: '998877-1', tipo: 'conta_pagamento' },
    },
    infoAdicionais: [
      { nome: 'Pedido', valor: id.slice(0, 8) },
      { nome: 'Loja', valor: 'Shopping Central' },
    ],
    componentesValor: { original: { valor: 0 }, desconto: { valor: '0.00' }, juros: { valor: '0.00' } },
    descricao: 'Pagamento do pedido pela loja virtual',
    devolucoes: [],
    recebedor: { ispb: '09089356', modalidade: 'agente', retirada: null },
    motivo: { codigo: null, texto: null },
  }
  const text = JSON.stringify(known).replaceAll(':0}', `:${amount}}`).replace('"valor":0,', `"valor":${amount},`)
  return Buffer.from(text)
}
