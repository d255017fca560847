addEventListener('load', () => { document.title = 'Hello from a script' })
