import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createSite, spawnGateway } from '../support/gateway.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { portariaIn } from './program.ts'

const BRAZIL = { LANG: 'pt_BR.UTF-8' }

async function portaria(args: string, env: Readonly<Record<string, string>> = BRAZIL) {
  const { code, stdout, stderr } = await portariaIn({ PATH: process.env.PATH, ...env }, ...args.split(' '))
  return { status: code, stdout, stderr }
}

const UNKNOWN = { pt: /^erro: opção desconhecida: '--nope'/, en: /^error: unknown option '--nope'/ }

it.each([
  ['version --nope', { LANG: 'pt_BR.UTF-8' }, UNKNOWN.pt],
  ['version --nope', { LANG: 'pt' }, UNKNOWN.pt],
  ['version --nope', { LC_MESSAGES: 'pt_PT', LANG: 'de_DE' }, UNKNOWN.pt],
  ['version --nope', { LC_ALL: 'C', LANG: 'pt_BR.UTF-8' }, UNKNOWN.en],
  ['version --nope', { LANG: 'ptx' }, UNKNOWN.en],
  ['version --nope', {}, UNKNOWN.en],
  ['--lang pt version --nope', { LANG: 'C' }, UNKNOWN.pt],
  ['version --nope --lang=pt', { LC_ALL: 'en_US.UTF-8' }, UNKNOWN.pt],
  ['--lang en version --nope', BRAZIL, UNKNOWN.en],
  ['version --lang en --nope', BRAZIL, UNKNOWN.en],
])('%s with %j', async (args, env, pattern) => {
  const { status, stderr } = await portaria(args, env)
  expect(stderr).toMatch(pattern)
  expect(status).toBe(2)
})

it('another language is wrong usage', async () => {
  expect(await portaria('--lang fr version')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("o valor 'fr' da opção '--lang <language>' não é válido. Valores aceitos: en, pt."),
  })
})

it('what packages contain is English in every locale', async () => {
  for (const args of ['man', 'completion fish']) expect(await portaria(args)).toEqual(await portaria(args, {}))
})

it('English loads no other text', () => {
  const listing = join(import.meta.dirname, '../support/list-modules.ts')
  const modules = (env: Record<string, string>) => {
    const file = join(temporaryFolder(), 'modules')
    spawnSync(process.execPath, [join(import.meta.dirname, '../../src/main.ts'), '--help'], {
      env: { PATH: process.env.PATH, NODE_OPTIONS: `--import=${listing}`, MODULES: file, ...env },
    })
    return spawnSync('grep', ['-c', '/src/messages/', file], { encoding: 'utf8' }).stdout.trim()
  }
  expect(modules({})).toBe('0')
  expect(Number(modules(BRAZIL))).toBeGreaterThan(2)
})

it('help is Portuguese: headings, descriptions, and what the parser adds', async () => {
  const { status, stdout } = await portaria('clients create --help')
  expect(status).toBe(0)
  for (const text of [
    /^Uso: portaria clients create \[opções\]\n\nCria um cliente;/,
    /\nOpções:\n/,
    /--name <name> +nome do cliente \(obrigatório\)\n/,
    /\(valores: "production",/,
    /\n {2}-h, --help +mostra a ajuda do comando\n/,
    /\nExemplo:\n/,
  ])
    expect(stdout).toMatch(text)
  expect((await portaria('--help')).stdout).toMatch(/\n {2}events \[opções\] +Procura, lista/)
})

it('mistakes of the configuration are Portuguese, each with its key and line', async () => {
  const file = join(temporaryFolder(), 'portaria.yaml')
  const missing = await portaria(`events list --config ${file}`)
  expect(missing).toEqual({
    status: 2,
    stdout: '',
    stderr: `portaria: o arquivo de configuração ${file} não pode ser lido: não existe: crie-o ou corrija o caminho; --config ARQUIVO ou PORTARIA_CONFIG o indica, config/portaria.yaml explica cada chave\n`,
  })
  writeFileSync(file, 'mode: prod\nlog: { levle: info }\nstorage: { url: "sqlite:a.db" }\napi: { host: 0.0.0.0 }\n')
  const { status, stderr } = await portaria(`serve --config ${file}`)
  expect(status).toBe(2)
  expect(stderr.split('\n')).toEqual([
    `portaria: o arquivo de configuração ${file} tem 4 erros: config/portaria.yaml explica cada chave`,
    '  - mode (linha 1): deve ser um destes: production, development; você quis dizer "production"?',
    '  - callbacks (linha 1): falta',
    '  - log.levle (linha 2): chave desconhecida; você quis dizer "level"?',
    expect.stringMatching(/^ {2}- api\.host \(linha 4\): não é um endereço de loopback/),
    '',
  ])
})

it('what the running gateway answers is Portuguese, and --json stays as it is', async () => {
  const site = await createSite()
  await spawnGateway(site, [], onTestFinished)
  const config = `--config ${site.configFile}`

  expect(await portaria(`clients show zebra ${config}`)).toMatchObject({
    status: 1,
    stderr: expect.stringMatching(/^portaria: não há nenhum cliente zebra: \S+ clients list mostra todos\n$/),
  })
  const empty = await portaria(`destinations list ${config}`)
  expect(empty.stdout).toMatch(/^nenhum destino; crie um com: \S+ destinations create URL\n$/)
  const client = `clients create --name books --environment sandbox --scopes events.read --json ${config}`
  expect(Object.keys(JSON.parse((await portaria(client)).stdout))).toContain('clientSecret')
  expect((await portaria(`clients revoke books ${config}`)).stdout).toBe('books está revogado\n')
  expect((await portaria(`--lang en clients revoke books ${config}`)).stderr).toMatch(/^portaria: (?!.*não)/)
}, 120_000)

it('simulator and trigger speak Portuguese, and --json stays as it is', async () => {
  expect(await portaria('simulator --control-port 9443')).toEqual({
    status: 2,
    stdout: '',
    stderr: 'portaria: --control-port 9443 é uma porta da API, que usa 9443 e 9444: escolha outra\n',
  })
  expect((await portaria('--lang en simulator --control-port 9443')).stderr).toMatch(/is a port of the API/)
  const laboratory = join(temporaryFolder(), 'laboratory')
  const sent = `trigger charge --to http://127.0.0.1:1/x --set notification.tokn=1 --laboratory ${laboratory}`
  expect(await portaria(sent)).toMatchObject({
    status: 1,
    stdout: expect.stringMatching(/^✗ charge \S+ http:\/\/127\.0\.0\.1:1\/x: inacessível: conexão recusada/),
    stderr: expect.stringMatching(/^--set notification\.tokn=1 acrescenta notification\.tokn: notification tem \S/),
  })
  expect(JSON.parse((await portaria(`${sent} --json`)).stdout)).toMatchObject({
    problems: [expect.stringMatching(/^unreachable: /)],
  })
}, 60_000)

it('names of fields stay as they are, beside values in Portuguese', async () => {
  const folder = join(temporaryFolder(), 'authority')
  expect((await portaria(`certs authority create --out ${folder}`)).stdout).toMatch(
    / {2}ca\.key {3}a chave privada dela: fica/,
  )
  expect((await portaria(`certs authority show --authority ${folder}`)).stdout).toMatch(
    /^autoridade\n {2}folder {10}\S+\n {2}subject {9}CN=[\s\S]+\n {2}expires {9}em \d+ dias\n/,
  )
})

it('the report of conformance is in the language of the command line, and with --json in English', async () => {
  const command = `conformance --charges http://127.0.0.1:1/x --laboratory ${join(temporaryFolder(), 'laboratory')}`
  expect((await portaria(command)).stdout).toMatch(/^Conformidade de http:/)
  expect((await portaria(`${command} --json`)).stdout).toMatch(/"verdict":"fail"/)
  expect((await portaria(`${command} --json`)).stdout).not.toMatch(/não/)
}, 120_000)
