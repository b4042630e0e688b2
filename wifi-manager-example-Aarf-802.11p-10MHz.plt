set terminal postscript eps color enh "Times-BoldItalic"
set output "wifi-manager-example-Aarf-802.11p-10MHz.eps"
set title "Results for 802.11p-10MHz with Aarf\n"
set xlabel "SNR (dB)"
set ylabel "Rate (Mb/s)"
set xrange [0:30]
set yrange [0:60]
set key top left
plot "-"  title "802.11p-10MHz-rate selected" with lines, "-"  title "802.11p-10MHz-observed" with lines
27 27
26 27
25 27
24 27
23 27
22 27
21 27
20 27
19 27
18 27
17 24
16 18
15 18
14 18
13 18
12 12
11 12
10 12
9 12
8 12
7 9
6 6
5 6
4 6
3 4.5
e
27 12.8369
26 13.7462
25 13.7298
24 13.7708
23 13.7462
22 13.697
21 13.7052
20 13.7544
19 13.6561
18 11.7555
17 11.4524
16 10.2236
15 10.6906
14 10.666
13 10.2318
12 7.62675
11 8.11827
10 7.92166
9 6.11123
8 6.47168
7 6.47987
6 4.87424
5 4.71859
4 4.48102
3 3.072
e
