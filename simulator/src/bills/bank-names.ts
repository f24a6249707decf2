/** Names of banks by their numbers in the clearing house. */
const NAMES: Readonly<Record<number, string>> = {
  1: 'Banco do Brasil',
  3: 'Banco da Amazônia',
  4: 'Banco do Nordeste',
  21: 'Banestes',
  33: 'Santander',
  37: 'Banpará',
  41: 'Banrisul',
  70: 'BRB',
  77: 'Inter',
  85: 'Ailos',
  104: 'Caixa Econômica Federal',
  136: 'Unicred',
  197: 'Stone',
  208: 'BTG Pactual',
  212: 'Original',
  218: 'BS2',
  237: 'Bradesco',
  246: 'ABC Brasil',
  260: 'Nu Pagamentos',
  323: 'Mercado Pago',
  336: 'C6',
  341: 'Itaú',
  389: 'Mercantil',
  422: 'Safra',
  655: 'Votorantim',
  707: 'Daycoval',
  745: 'Citibank',
  748: 'Sicredi',
  756: 'Sicoob',
}

/** Banks that are not in the table are named by their number. */
export function bankNameOf(bank: number): string {
  return NAMES[bank] ?? `Banco ${String(bank).padStart(3, '0')}`
}
