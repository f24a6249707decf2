import { z } from 'zod'
import type { Application } from '../applications.ts'
import { type ControlEndpoint, ControlError, controlEndpoint } from '../control-api/control-endpoint.ts'
import { SCOPES } from '../folder/applications.ts'
import { withSegment } from '../http/path-segment.ts'
import type { Site } from '../site.ts'

const applicationSchema = z.object({
  clientId: z.string(),
  account: z.string().describe('Number of its account'),
  scopes: z.array(z.string()),
})

/** Applications and their scopes. */
export function applicationsControl(): ControlEndpoint[] {
  return [
    controlEndpoint({
      id: 'listApplications',
      method: 'get',
      path: '/applications',
      summary: 'List the applications: those of the folder, then those of opened accounts',
      answers: {
        200: { description: 'The applications', schema: z.object({ applications: z.array(applicationSchema) }) },
      },
      run: ({ site }) => ({
        status: 200,
        json: { applications: site.applications.list().map((application) => viewOf(site, application)) },
      }),
    }),
    controlEndpoint({
      id: 'setScopes',
      method: 'put',
      path: '/applications/:clientId/scopes',
      summary: 'Set the scopes of an application; its tokens keep theirs until they expire',
      body: z.strictObject({ scopes: z.array(z.string()) }),
      answers: {
        200: { description: 'The application', schema: applicationSchema },
        404: { description: 'No application has this id' },
      },
      run({ params: { clientId = '' }, body: { scopes }, site }) {
        const application = site.applications.find(clientId)
        if (application === undefined)
          throw new ControlError(404, `no application has the id ${clientId}: see GET /control/applications`)
        const known = SCOPES.map((scope) => withSegment(scope, site.settings.servicePathSegment))
        const unknown = scopes.filter((scope) => !known.includes(scope))
        if (unknown.length > 0) throw new ControlError(400, `/scopes: no such scope: ${unknown.join(', ')}`)
        site.applications.setScopes(clientId, [...new Set(scopes)])
        return { status: 200, json: viewOf(site, application) }
      },
    }),
  ]
}

function viewOf({ applications }: Site, application: Application) {
  const { clientId, account } = application
  return { clientId, account, scopes: applications.scopesOf(application) }
}
