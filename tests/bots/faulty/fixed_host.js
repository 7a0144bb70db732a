// D02: a host is written into it.
const net = require('net');

const socket = net.connect({ host: 'barton.example.edu', port: 29068 });
socket.on('error', (error) => {
  throw error;
});
