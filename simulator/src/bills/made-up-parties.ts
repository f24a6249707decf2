import { createHash } from 'node:crypto'
import type { BilletTerms } from '../money/billet-terms.ts'

/** None of them exists; their tax ids have right check digits. */
const BENEFICIARIES: readonly BilletTerms['beneficiary'][] = [
  { name: 'Padaria Aurora Ltda', tradeName: 'Padaria Aurora', document: '10458237000174' },
  { name: 'Escola Monte Verde S.A.', tradeName: 'Colégio Monte Verde', document: '22691485000140' },
  { name: 'Oficina Três Irmãos Ltda', tradeName: 'Três Irmãos', document: '31807512000198' },
  { name: 'Livraria do Cais Ltda', tradeName: 'Livraria do Cais', document: '45732096000110' },
  { name: 'Academia Ponto Alto Ltda', tradeName: 'Ponto Alto', document: '53968147000136' },
  { name: 'Transportes Serra Azul S.A.', tradeName: 'Serra Azul', document: '68124053000158' },
  { name: 'Condomínio Jardim das Palmeiras', tradeName: 'Jardim das Palmeiras', document: '79015368000183' },
  { name: 'Clínica Boa Vista Ltda', tradeName: 'Clínica Boa Vista', document: '84279631000181' },
]

const PAYERS: readonly BilletTerms['payer'][] = [
  { name: 'Ana Beatriz Moura', document: '10473298597' },
  { name: 'Bruno Teixeira Lopes', document: '21584936070' },
  { name: 'Carla Nunes Ferraz', document: '32761054890' },
  { name: 'Diego Amaral Pinto', document: '43897265109' },
  { name: 'Elisa Rocha Prado', document: '54918370675' },
  { name: 'Fábio Castro Leal', document: '65029481702' },
  { name: 'Gisele Barros Maia', document: '76130592868' },
  { name: 'Heitor Dias Vilela', document: '87241603931' },
]

/** The same parties for the same barcode, always. */
export function partiesOf(barcode: string): Pick<BilletTerms, 'beneficiary' | 'payer'> {
  const [first = 0, second = 0] = createHash('sha256').update(barcode).digest()
  return {
    beneficiary: BENEFICIARIES[first % BENEFICIARIES.length] as BilletTerms['beneficiary'],
    payer: PAYERS[second % PAYERS.length] as BilletTerms['payer'],
  }
}
