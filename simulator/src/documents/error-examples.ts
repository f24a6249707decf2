/** A refusal with `nome`, or the body of one in another form. */
type ErrorExample = { readonly nome: string; readonly mensagem: string } | { readonly body: object }

const INVALID_DATE = 'A data deve ser anterior a hoje.'
const TYPES = 'https://pix.bcb.gov.br/api/v2/error/'
const FAILED: ErrorExample = {
  body: { type: `${TYPES}ErroInterno`, title: 'Erro interno', status: 500, detail: 'Ocorreu um erro interno.' },
}
const NO_OPENING: ErrorExample = {
  nome: 'conta_nao_encontrada',
  mensagem: 'Nenhuma conta simplificada tem este identificador.',
}
const NOT_APPROVED: ErrorExample = {
  nome: 'conta_nao_aprovada_ou_recusada',
  mensagem: 'O cliente final não aprovou a abertura da conta.',
}
const ACCEPTED: ErrorExample = {
  nome: 'mtls_nao_configurado',
  mensagem: 'O servidor aceitou uma requisição sem certificado de cliente.',
}
const NO_PAYMENT: ErrorExample = { body: { erro: 0, descricao: 'Este pagamento não existe.' } }
const NO_PERIOD: ErrorExample = { nome: 'erro_de_validacao', mensagem: 'dataInicio: Este campo é obrigatório.' }
const NO_WEBHOOK = 'Nenhum webhook tem este identificador.'

/** Refusals of single operations, by operation id and status. `simulator/docs/service-errors.md` has all of them. */
export const ERROR_EXAMPLES: Readonly<Record<string, ErrorExample>> = {
  'createKey 400': { nome: 'limite_criacao_chave_atingido', mensagem: 'A conta já tem 20 chaves aleatórias.' },
  'removeKey 400': { nome: 'chave_nao_encontrada', mensagem: 'A conta não tem esta chave aleatória.' },
  'removeKey 404': { nome: 'chave_nao_encontrada', mensagem: 'A conta não tem esta chave aleatória.' },
  'requestStatement 400': {
    body: {
      type: `${TYPES}ExtratoConciliacaoConsultaInvalida`,
      title: 'Consulta inválida',
      status: 400,
      detail: 'O pedido de extrato não é válido: veja as violações.',
      violacoes: [{ razao: INVALID_DATE, propriedade: '.body.dataMovimento' }],
    },
  },
  'requestStatement 500': FAILED,
  'downloadStatement 404': {
    body: {
      type: `${TYPES}NaoEncontrado`,
      title: 'Não encontrado',
      status: 404,
      detail: 'Esta conta não tem um extrato com este identificador.',
    },
  },
  'downloadStatement 500': FAILED,
  'showBill 400': { nome: 'erro_de_validacao', mensagem: 'Este código de barras não é conhecido.' },
  'payBill 400': { body: { erro: 0, descricao: 'Consulte o código de barras antes de pagar.' } },
  'showPayment 400': NO_PAYMENT,
  'summarizePayments 400': NO_PERIOD,
  'putPaymentWebhook 400': ACCEPTED,
  'listPaymentWebhooks 400': NO_PERIOD,
  'deletePaymentWebhook 404': { nome: 'webhook_nao_encontrado', mensagem: 'Esta URL não está cadastrada.' },
  'createRegistrationWebhook 400': ACCEPTED,
  'createRegistrationWebhook 409': { nome: 'url_cadastrada', mensagem: 'Esta URL já está cadastrada.' },
  'showRegistrationWebhook 400': { nome: 'identificador_webhook', mensagem: NO_WEBHOOK },
  'showRegistrationWebhook 404': { nome: 'webhook_nao_encontrado', mensagem: NO_WEBHOOK },
  'listRegistrationWebhooks 400': { nome: 'data_invalida', mensagem: 'O fim do período é anterior ao início.' },
  'deleteRegistrationWebhook 400': { nome: 'identificador_webhook', mensagem: NO_WEBHOOK },
  'deleteRegistrationWebhook 404': { nome: 'webhook_nao_encontrado', mensagem: NO_WEBHOOK },
  'createSimplifiedAccount 400': { nome: 'cpf_invalido', mensagem: 'Informe um CPF válido, só com dígitos.' },
  'createSimplifiedAccount 403': {
    nome: 'escopo_nao_permitido',
    mensagem: 'A sua aplicação não pode conceder: pix.send.',
  },
  'createSimplifiedAccount 409': {
    nome: 'solicitacao_duplicada',
    mensagem: 'Já há uma solicitação em andamento para este cliente final.',
  },
  'createSimplifiedAccount 412': {
    nome: 'webhook_nao_cadastrado',
    mensagem: 'Cadastre antes um webhook de abertura de contas.',
  },
  'showCredentials 404': NO_OPENING,
  'showCredentials 412': NOT_APPROVED,
  'createCertificate 404': NO_OPENING,
  'createCertificate 412': NOT_APPROVED,
  'putOpenBankingSettings 400': { nome: 'redirect_url_obrigatorio', mensagem: 'Informe uma URL válida.' },
  'putOpenBankingSettings 422': {
    nome: 'webhook_url_invalido',
    mensagem: 'Não foi possível conectar ao servidor da URL.',
  },
  'showOpenBankingSettings 404': {
    nome: 'configuracao_nao_encontrada',
    mensagem: 'Nenhuma configuração foi feita ainda.',
  },
  'token 400': {
    body: { error: 'unsupported_grant_type', error_description: 'only client_credentials is supported' },
  },
  'token 401': {
    body: { error: 'invalid_client', error_description: 'the credentials of HTTP Basic are missing, or not valid' },
  },
}
