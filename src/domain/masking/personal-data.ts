/**
 * Where the payloads of a kind hold personal data: JSON Pointers (RFC 6901) into the fact or into the envelope around it. `*` is any member or element;
 * a pointer that begins with `/**` + `/` names members at any depth, in any case of letters. What is there is masked as a whole.
 * null: nothing is known of the kind, so every text in it is masked.
 */
export type PersonalData = readonly string[] | null

/** Members that hold personal data in the service's documents (Documents 1 and 2), and in callbacks of instant payments. */
const PERSONAL_MEMBERS = [
  // Persons, each with all that is known of them.
  ...[
    'pagador',
    'beneficiario',
    'favorecido',
    'recebedor',
    'devedor',
    'sacadorAvalista',
    'titular',
    'clienteFinal',
    'customer',
  ],
  ...['nome', 'nomeCompleto', 'nomeMae', 'fantasia', 'razaoSocial', 'name', 'corporate_name'],
  ...['cpf', 'cnpj', 'cpfCnpj', 'documento', 'document'],
  ...['email', 'celular', 'telefone', 'phone', 'phone_number', 'dataNascimento', 'birth'],
  ...['endereco', 'logradouro', 'cep', 'address', 'billing_address', 'shipping_address'],
  // A key of an instant payment is a CPF, an e-mail address or a phone number; the payer writes the other two.
  ...['chave', 'infoPagador', 'solicitacaoPagador'],
]

/** The kinds of the service's documents, and the two of the annotated configuration. */
const KNOWN_KINDS = ['registration', 'payment', 'charge', 'openBanking', 'instantPayment']

/** Default of `personalData`. */
export function personalDataOf(kind: string): PersonalData {
  return KNOWN_KINDS.includes(kind) ? PERSONAL_MEMBERS.map((name) => `/**/${name}`) : null
}
