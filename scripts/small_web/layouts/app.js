const root = document.getElementById('root');
fetch('/data' + location.pathname + '.json').then(reply => reply.json()).then(page => {
  document.title = page.title;
  const article = document.createElement('article');
  const add = (name, text) => article.append(Object.assign(document.createElement(name), {textContent: text}));
  add('h1', page.title);
  page.paragraphs.forEach(text => add('p', text));
  root.replaceChildren(article);
});
