/** A valid request of endpoint 13, where the segment is `gn`. Its CPF has an account in every new folder. */
export function openingRequest(members: object = {}) {
  return {
    clienteFinal: {
      cpf: '52998224725',
      nomeCompleto: 'Maria da Conceição',
      dataNascimento: '31/01/1990',
      nomeMae: 'Ana da Silva',
      celular: '31987654321',
      email: 'maria@example.com',
      endereco: {
        cep: '35400000',
        estado: 'MG',
        cidade: 'Ouro Preto',
        bairro: 'Centro',
        logradouro: 'Rua das Flores',
        numero: '12',
        complemento: 'Casa',
      },
    },
    meioDeNotificacao: ['sms'],
    escoposIntegrados: ['gn.balance.read', 'cob.read'],
    ...members,
  }
}

/** The same with other members of the end client or of its address. */
export function changed({ clienteFinal = {}, endereco = {} }: { clienteFinal?: object; endereco?: object }) {
  const request = openingRequest()
  const address = { ...request.clienteFinal.endereco, ...endereco }
  return { ...request, clienteFinal: { ...request.clienteFinal, endereco: address, ...clienteFinal } }
}
