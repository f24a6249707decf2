import type { Texts } from '../../../translator.ts'

/** What `storage verify` looks for, and names where it finds it. */
export const INVARIANTS_MESSAGES: Texts = {
  'event without a callback': 'evento sem callback',
  'event whose span is incomplete or not inside its body': 'evento cujo trecho está incompleto ou fora do corpo',
  'event with a part number that its callback does not have':
    'evento com um número de parte que o callback dele não tem',
  'incomplete decision about a fact in quarantine': 'decisão incompleta sobre um fato em quarentena',
  'released fact whose event is of another fact': 'fato liberado cujo evento é de outro fato',
  'fact in quarantine whose span is incomplete or not inside its body':
    'fato em quarentena cujo trecho está incompleto ou fora do corpo',
  'waiting token without its callback': 'token à espera sem o callback dele',
  'charge route to a destination that is not there, or is of another owner or no route':
    'rota de cobrança para um destino que não existe, é de outro dono ou não é uma rota',
  'pending delivery without a next attempt': 'entrega pendente sem próxima tentativa',
  'waiting delivery with the marks of an ended one': 'entrega à espera com as marcas de uma encerrada',
  'ended delivery without its end, or with a next attempt': 'entrega encerrada sem o fim, ou com próxima tentativa',
  'exhausted or canceled delivery without a reason': 'entrega esgotada ou cancelada sem motivo',
  'claim on a delivery that an attempt has ended': 'reserva de uma entrega que uma tentativa encerrou',
  'claim without its time or its attempt': 'reserva sem a hora ou sem a tentativa',
  'delivery with more retries used than attempts made': 'entrega com mais repetições usadas que tentativas feitas',
  'waiting delivery of a removed destination': 'entrega à espera de um destino removido',
  'delivered delivery without the time of its success': 'entrega bem-sucedida sem a hora do sucesso',
  'pending delivery of a canceled replay': 'entrega pendente de um reenvio cancelado',
  'replay that goes beyond its last event, or is done before it':
    'reenvio que passa do seu último evento, ou termina antes dele',
  'ended replay without its end, or running one with an end': 'reenvio encerrado sem o fim, ou em andamento com um fim',
  'blocked delivery without an order key, or with a due time':
    'entrega bloqueada sem chave de ordem, ou com hora prevista',
  'ended delivery that still has an order key': 'entrega encerrada que ainda tem chave de ordem',
  'order key without a head: all its deliveries are blocked':
    'chave de ordem sem a primeira entrega: todas as suas entregas estão bloqueadas',
  'order key with more than one head': 'chave de ordem com mais de uma primeira entrega',
  'order key that an exhausted delivery blocks although its destination continues':
    'chave de ordem que uma entrega esgotada bloqueia, embora o destino continue',
  'waiting delivery of an event without its data': 'entrega à espera de um evento sem os dados',
  'undecided fact in quarantine without its data': 'fato em quarentena à espera de decisão, sem os dados',
  'number that two callbacks have': 'número que dois callbacks têm',
  'position that two events have': 'posição que dois eventos têm',
  'callback and event in one row although it has another event, or more than the event':
    'callback e evento em uma só linha, embora ele tenha outro evento, ou mais que o evento',
  'callback without an event, without anything in quarantine, and not of a token':
    'callback sem evento, sem nada em quarentena, e que não é de um token',
  'event whose span is not that of an array': 'evento cujo trecho não é o de uma lista',
  'event whose position is behind that of a later callback':
    'evento cuja posição é maior que a de um callback posterior',
  'number that could be given again': 'número que poderia ser dado de novo',
  'token with entries beyond a gap that are no gap, or come twice':
    'token com itens além de uma lacuna que não são lacuna, ou aparecem duas vezes',
  'body of an event that is only a part of its callback': 'corpo de um evento que é só uma parte do callback dele',
  'resolved event whose body is empty, or is not although its data was removed':
    'evento resolvido cujo corpo está vazio, ou não está embora os dados tenham sido removidos',
  'second delivery of an event to its destination': 'segunda entrega de um evento ao mesmo destino',
  'delivered delivery without an attempt that succeeded': 'entrega bem-sucedida sem uma tentativa que deu certo',
  'delivery whose attempts are not each on record once': 'entrega cujas tentativas não estão registradas uma vez cada',
  'callback without its payload of which something is left, or nothing says so':
    'callback sem o conteúdo do qual algo resta, ou sem registro disso',
  'redacted fact whose callback says nothing of it': 'fato removido cujo callback não informa isso',
  'removal announced beyond the last position': 'remoção anunciada além da última posição',
  'block of callbacks with a wrong summary': 'bloco de callbacks com um resumo errado',
  'old callback in no block': 'callback antigo fora de qualquer bloco',
  'delivery made with its event that the event does not name': 'entrega criada com o evento e que o evento não indica',
  'event that names deliveries of another event, or ones that are not there':
    'evento que indica entregas de outro evento, ou que não existem',
  'claim of an owner that never was': 'reserva de um dono que nunca existiu',
  'first attempt in the row of a delivery that has others, or never succeeded':
    'primeira tentativa na linha de uma entrega que tem outras, ou nunca deu certo',
  'callback that names an event of another callback, or one that is not there':
    'callback que indica um evento de outro callback, ou que não existe',
  'event that is the only one of its callback, which does not name it':
    'evento que é o único do callback dele, que não o indica',
  'removed event whose position could be given again': 'evento removido cuja posição poderia ser dada de novo',
  'run of the search index that overlaps another, or has more events than positions':
    'trecho do índice de busca que se sobrepõe a outro, ou tem mais eventos que posições',
  'run of the search index behind the last indexed event': 'trecho do índice de busca depois do último evento indexado',
  'run of the search index without the pages that it says it has':
    'trecho do índice de busca sem as páginas que diz ter',
}
