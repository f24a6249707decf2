// Receives forwarded events with ASP.NET Core: verifies signatures (Standard Webhooks) and stores each event once.
// A database has the table, here for SQLite (PostgreSQL: bytea for BLOB):
//   CREATE TABLE events (id VARCHAR(64) PRIMARY KEY, kind VARCHAR(64), body BLOB)
// In Program.cs, with the WEBHOOK_SECRET in the environment: two secrets, separated by a space, while you rotate them. Bind no model to the body.
//   var hook = new PortariaHook(Environment.GetEnvironmentVariable("WEBHOOK_SECRET")!, () => new SqliteConnection("Data Source=events.db"));
//   app.MapPost("/hook", async (HttpRequest request) =>
//   {
//       var body = new MemoryStream();
//       await request.Body.CopyToAsync(body);
//       var (status, text) = hook.Receive(name => request.Headers[name], body.ToArray());
//       return Results.Text(text, statusCode: status);
//   });
using System;
using System.Data.Common;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

public sealed class PortariaHook
{
    const long ToleranceSeconds = 300;
    readonly byte[][] keys;
    readonly Func<DbConnection> connect;

    /// <param name="secrets">whsec_…; several, separated by spaces</param>
    /// <param name="connect">makes a connection to the database that has the table, still closed</param>
    public PortariaHook(string secrets, Func<DbConnection> connect)
    {
        keys = secrets.Split(' ').Select(secret => Convert.FromBase64String(secret.Substring("whsec_".Length))).ToArray();
        if (keys.Any(key => key.Length < 24)) throw new ArgumentException("the secret is not whsec_ and base64");
        this.connect = connect;
    }

    /// <param name="header">of the request; null where it has none of this name</param>
    /// <param name="body">the raw bytes: never parsed and written again</param>
    /// <returns>the status and the text to answer</returns>
    public (int, string) Receive(Func<string, string> header, byte[] body)
    {
        var id = header("webhook-id");
        if (!IsGenuine(id, header("webhook-timestamp"), header("webhook-signature"), body)) return (401, "invalid signature");
        // Only then a success: an answer before the event is stored would lose it in a crash. Work on it later, from the table.
        return (200, Store(id, header("portaria-kind"), body) ? "stored" : "repeated");
    }

    bool IsGenuine(string id, string timestamp, string signatures, byte[] body)
    {
        if (id == null || signatures == null || timestamp == null || !Regex.IsMatch(timestamp, @"\A[0-9]{1,12}\z")) return false;
        // An old delivery that was recorded and is sent again is refused.
        if (Math.Abs(DateTimeOffset.UtcNow.ToUnixTimeSeconds() - long.Parse(timestamp)) > ToleranceSeconds) return false;
        var signed = Encoding.UTF8.GetBytes(id + "." + timestamp + ".").Concat(body).ToArray();
        var isGenuine = false;
        foreach (var key in keys)
        {
            using (var hmac = new HMACSHA256(key))
            {
                var expected = Encoding.UTF8.GetBytes("v1," + Convert.ToBase64String(hmac.ComputeHash(signed)));
                // While the secret rotates there are two signatures; one of them must be right.
                foreach (var given in signatures.Split(' '))
                    isGenuine |= CryptographicOperations.FixedTimeEquals(expected, Encoding.UTF8.GetBytes(given));
            }
        }
        return isGenuine;
    }

    /// <summary>Stores the event once. The primary key decides, also between two requests at the same time. False: it was stored before.</summary>
    bool Store(string id, string kind, byte[] body)
    {
        using (var connection = connect())
        {
            connection.Open();
            using (var command = connection.CreateCommand())
            {
                // MySQL: INSERT IGNORE. SQL Server has neither: catch the errors 2601 and 2627.
                command.CommandText = "INSERT INTO events (id, kind, body) VALUES (@id, @kind, @body) ON CONFLICT DO NOTHING";
                Add(command, "@id", id);
                Add(command, "@kind", (object)kind ?? DBNull.Value);
                Add(command, "@body", body);
                return command.ExecuteNonQuery() == 1;
            }
        }
    }

    static void Add(DbCommand command, string name, object value)
    {
        var parameter = command.CreateParameter();
        parameter.ParameterName = name;
        parameter.Value = value;
        command.Parameters.Add(parameter);
    }
}
