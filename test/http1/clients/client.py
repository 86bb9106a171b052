"""httpx or requests as a client of test/http1/clients: the plan is on standard input, see plan.mjs."""
import sys

which = sys.argv[1]
if which == 'httpx':
    import httpx
    client = httpx.Client()
else:
    import requests
    client = requests.Session()

session = ''
for line in sys.stdin:
    method, url, *fields, body = line.rstrip('\n').split('\t')
    headers = dict(field.split(': ', 1) for field in fields)
    headers = {name: value.replace('$session', session) for name, value in headers.items()}
    given = {'content' if which == 'httpx' else 'data': bytes.fromhex(body)} if body else {}
    response = client.request(method, url, headers=headers, **given)
    session = response.headers.get('mcp-session-id', session)
    print(response.status_code, response.content.hex(), sep='\t')
