import type { Catalogue } from '../catalogue.ts'

export const FRAME: Catalogue['frame'] = {
  skip: 'Ir para o conteúdo',
  pages: 'Páginas',
  otherLanguage: 'English',
  reference: 'Referência da API (em inglês)',
  operator: 'Operador',
  environments: { production: 'produção', sandbox: 'sandbox', any: 'todos os ambientes' },
  clientId: 'ID do cliente',
  clientIdHint: 'Começa com cli_. Deixe vazio para entrar como operador, com o token do operador no lugar do segredo.',
  secret: 'Segredo',
  signInHint: 'O operador cria um ID e um segredo para cada pessoa: portaria clients create.',
  wrongSecret: 'Não existe cliente com este ID e este segredo. Confira os dois e tente de novo.',
  waitToSignIn: (seconds) => `Muitas tentativas erradas. Aguarde ${seconds} s e tente de novo.`,
  reasons: {
    ended: 'Sua sessão terminou. Entre de novo para continuar de onde parou.',
    lost: 'Sua sessão terminou. O formulário não foi enviado e nada foi alterado. Entre e envie de novo.',
    out: 'Você saiu.',
  },
  unreachable:
    'O gateway não responde. Talvez esteja reiniciando. Nada foi enviado, e esta página foi mantida: tente de novo em instantes.',
  fromElsewhere: 'Um link trouxe você aqui',
  fromElsewhereText: 'Não é um link deste gateway. Continue se quiser abrir esta página:',
  goOn: 'Continuar',
  requestId: 'Requisição',
  errors: {
    noSuchPage: ['Esta página não existe', 'Confira o endereço ou use o menu.'],
    notFound: ['Não encontrado', 'O gateway não tem nada com este ID. Confira o ID ou busque outro valor.'],
    forbidden: ['Sem permissão', 'Você não pode ver ou fazer isto.'],
    scopeMissing: 'Sem permissão',
    scopeMissingText: (scopes) => `Falta o escopo desta página: ${scopes}. O operador pode dá-lo a um cliente.`,
    refused: ['O gateway recusou o pedido', 'Corrija o que ele aponta e tente de novo.'],
    gateway: ['O gateway está com um problema', 'Esta página não alterou nada. Aguarde um momento e carregue de novo.'],
    foreignForm: [
      'Este formulário não foi enviado por uma página deste gateway',
      'Nada foi alterado. Se houver um proxy no caminho, ele deve repassar o cabeçalho Host. Abra a página de novo e repita.',
    ],
    staleForm: ['Este formulário está desatualizado', 'Nada foi alterado. Volte, carregue a página de novo e repita.'],
    notAllowed: ['Este endereço não pode ser usado assim', 'Nada foi alterado. Use o menu.'],
    unreadable: ['Não foi possível ler a requisição', 'Nada foi alterado. Volte e tente de novo.'],
    tooLarge: ['O formulário é grande demais', 'Nada foi alterado. Encurte o texto e tente de novo.'],
  },
}
