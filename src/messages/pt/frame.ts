import type { Catalogue } from '../catalogue.ts'

export const FRAME: Catalogue['frame'] = {
  skip: 'Ir para o conteúdo',
  pages: 'Páginas',
  times: 'Horários no fuso',
  groups: {
    events: 'Eventos',
    state: 'Estado',
    delivery: 'Entrega',
    exceptions: 'Exceções',
    administration: 'Administração',
  },
  otherLanguage: 'English',
  reference: 'Referência da API (em inglês)',
  operator: 'Operador',
  environments: { production: 'produção', sandbox: 'sandbox', any: 'todos os ambientes' },
  clientId: 'Identificador do cliente',
  clientIdHint: 'Começa com cli_. Deixe vazio para entrar como operador, com o token do operador no lugar do segredo.',
  secret: 'Segredo',
  signInHint: 'O operador cria um identificador e um segredo para cada pessoa.',
  wrongSecret: 'Não existe cliente com este identificador e este segredo. Confira os dois e tente de novo.',
  waitToSignIn: (seconds) => `Muitas tentativas erradas. Aguarde ${seconds} s e tente de novo.`,
  reasons: {
    ended: 'Sua sessão terminou. Entre de novo para continuar de onde parou.',
    lost: 'Sua sessão terminou. O formulário não foi enviado e nada foi alterado. Entre e envie de novo.',
    out: 'Você saiu.',
  },
  oidc: {
    signIn: (provider: string) => `Entrar com ${provider}`,
    otherwise: 'Ou com um cliente',
    signedIn: 'Você entrou',
    signedInAs: (name: string, provider: string) => `Como ${name}, por ${provider}.`,
    unreachable: (provider: string) =>
      `${provider} não está acessível agora. Tente de novo em instantes, ou entre com o identificador e o segredo de um cliente.`,
    unusable: (provider: string) =>
      `O gateway não consegue usar ${provider} com a configuração atual. Avise o operador, e entre com o identificador e o segredo de um cliente até que ela seja corrigida.`,
    refused: {
      begun: (provider: string, _detail: string) =>
        `Não há um acesso por ${provider} em andamento neste navegador: passaram mais de 10 minutos, ou ele já terminou. Entre de novo.`,
      provider: (provider: string, detail: string) =>
        `${provider} recusou o acesso${detail === '' ? '' : ` (${detail})`}. Entre de novo, ou fale com quem o administra.`,
      gateway: (provider: string, _detail: string) =>
        `${provider} recusa este gateway, e por isso todas as pessoas. Avise o operador, e entre com o identificador e o segredo de um cliente até que a configuração seja corrigida.`,
      answer: (provider: string, _detail: string) =>
        `A resposta de ${provider} não é válida, por isso o acesso foi recusado. Entre de novo. Se acontecer outra vez, avise o operador.`,
      role: (provider: string, detail: string) =>
        `${provider} conhece você como ${detail}, mas nenhuma das suas funções lá abre estas páginas. Peça uma função ao operador.`,
    },
  },
  unreachable:
    'O gateway não responde. Talvez esteja reiniciando. Nada foi enviado, e esta página foi mantida: tente de novo em instantes.',
  fromElsewhere: 'Um link trouxe você aqui',
  fromElsewhereText: 'Não é um link deste gateway. Continue se quiser abrir esta página:',
  goOn: 'Continuar',
  requestId: 'Requisição',
  errors: {
    noSuchPage: ['Esta página não existe', 'Confira o endereço ou use o menu.'],
    notFound: [
      'Não encontrado',
      'O gateway não tem nada com este identificador. Confira o identificador ou busque outro valor.',
    ],
    forbidden: ['Sem permissão', 'Você não pode ver ou fazer isto.'],
    scopeMissing: 'Sem permissão',
    scopeMissingText: (scopes) => `Falta o escopo desta página: ${scopes}. O operador pode dá-lo a um cliente.`,
    operatorOnly: ['Não permitido', 'Só o operador pode abrir esta página.'],
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
